//! The rules once more, square by square and sharing nothing with the program: what a judge would
//! do.

/// A ply as Botzone's six numbers.
pub(crate) type Ply = [i64; 6];

/// What the first player's first request holds.
pub(crate) const NONE: Ply = [-1; 6];

const WAYS: [(i64, i64); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// A board and whose turn it is. Squares are `.` empty, `*` burnt, `0` and `1` amazons.
#[derive(Clone)]
pub(crate) struct Referee {
    squares: Vec<Vec<char>>,
    mover: usize,
}

impl Referee {
    /// The start of a board of `n` by `n`: the formula's, or the left one.
    pub(crate) fn new(n: usize, left: bool) -> Referee {
        let (k, last) = ((n - 1) / 3, n - 1);
        let far = last - k;
        let mut squares = vec![vec!['.'; n]; n];
        for (x, y) in [(0, k), (k, 0), (far, 0), (last, k), (0, far), (k, last), (far, last), (last, far)] {
            let first = if left { x < n / 2 } else { y < n / 2 };
            squares[y][x] = if first { '0' } else { '1' };
        }
        Referee { squares, mover: 0 }
    }

    /// 0 for the first player, 1 for the second.
    pub(crate) fn mover(&self) -> usize {
        self.mover
    }

    fn at(&self, x: i64, y: i64) -> Option<char> {
        self.squares.get(usize::try_from(y).ok()?)?.get(usize::try_from(x).ok()?).copied()
    }

    fn set(&mut self, x: i64, y: i64, what: char) {
        self.squares[y as usize][x as usize] = what;
    }

    /// Whether one can walk from one square to another, in a line, every step onto an empty square.
    fn open(&self, (x0, y0): (i64, i64), (x1, y1): (i64, i64)) -> bool {
        WAYS.iter().any(|(dx, dy)| {
            (1..)
                .map(|n| (x0 + n * dx, y0 + n * dy))
                .take_while(|&(x, y)| self.at(x, y) == Some('.'))
                .any(|square| square == (x1, y1))
        })
    }

    fn own(&self) -> char {
        ['0', '1'][self.mover]
    }

    /// Whether the side to move can.
    pub(crate) fn can_move(&self) -> bool {
        let n = self.squares.len() as i64;
        (0..n * n).map(|square| (square % n, square / n)).any(|(x, y)| {
            self.at(x, y) == Some(self.own())
                && WAYS.iter().any(|(dx, dy)| self.at(x + dx, y + dy) == Some('.'))
        })
    }

    /// Plays a ply; false, and nothing sensible on the board, if it is against the rules.
    pub(crate) fn play(&mut self, [x0, y0, x1, y1, x2, y2]: Ply) -> bool {
        if self.at(x0, y0) != Some(self.own()) || !self.open((x0, y0), (x1, y1)) {
            return false;
        }
        self.set(x0, y0, '.');
        self.set(x1, y1, self.own());
        if !self.open((x1, y1), (x2, y2)) {
            return false;
        }
        self.set(x2, y2, '*');
        self.mover = 1 - self.mover;
        true
    }
}
