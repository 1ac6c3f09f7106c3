//! The binary.
use quiver::game::*;
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let d = std::env::args().nth(2).unwrap().parse().unwrap();
    println!("{}", perft(&Start::Formula.position(Size::square(n).unwrap()).unwrap(), d));
}
