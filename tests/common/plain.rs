//! A second, simple move generator, with which tests compare the library's results.
//!
//! Both generators share only the types of sides, squares and moves, `Position::put`, and the
//! accessors `size`, `content` and `to_move`. So an error in one generator shows as a difference.

use quiver::amazons::{Move, Position, QueenMove, Side, Size, Square, SquareContent};

/// The column and row of a square, both from 0.
pub(crate) type Place = (usize, usize);

/// A board and the side to move. `cells[y][x]` is the square in column x and row y.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlainBoard {
    pub(crate) cells: Vec<Vec<SquareContent>>,
    pub(crate) to_move: Side,
}

impl PlainBoard {
    pub(crate) fn of(position: &Position) -> PlainBoard {
        let cell = |x, y| position.content(square((x, y))).expect("a square of its own board");
        let (width, height) = (position.size().width().into(), position.size().height().into());
        let cells = (0..height).map(|y| (0..width).map(|x| cell(x, y)).collect()).collect();
        PlainBoard { cells, to_move: position.to_move() }
    }

    pub(crate) fn position(&self) -> Position {
        let size = Size::new(self.width(), self.cells.len()).expect("a size that positions have");
        let mut position = Position::new(size).with_mover(self.to_move);
        for place in self.places() {
            position.put(square(place), self.at(place)).expect("boards are legal");
        }
        position
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let (width, height) = (self.width(), self.cells.len());
        (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
    }

    pub(crate) fn reachable_places(&self, from: Place) -> Vec<Place> {
        let mut reached = Vec::new();
        for (dx, dy) in [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)] {
            let mut place = from;
            while let Some(next) = self.step(place, dx, dy) {
                if self.at(next) != SquareContent::Empty {
                    break;
                }
                reached.push(next);
                place = next;
            }
        }
        reached
    }

    pub(crate) fn queen_moves(&self) -> Vec<QueenMove> {
        let own = SquareContent::Amazon(self.to_move);
        self.places()
            .filter(|&from| self.at(from) == own)
            .flat_map(|from| self.reachable_places(from).into_iter().map(move |to| (from, to)))
            .map(|(from, to)| QueenMove { from: square(from), to: square(to) })
            .collect()
    }

    pub(crate) fn arrows(&self, queen: QueenMove) -> Vec<Square> {
        self.after_queen(queen).reachable_places(place(queen.to)).into_iter().map(square).collect()
    }

    pub(crate) fn legal_moves(&self) -> Vec<Move> {
        self.queen_moves()
            .into_iter()
            .flat_map(|queen| self.arrows(queen).into_iter().map(move |arrow| Move::new(queen, arrow)))
            .collect()
    }

    pub(crate) fn play(&self, played: Move) -> PlainBoard {
        let mut after = self.after_queen(played.queen());
        after.set(played.arrow, SquareContent::Burnt);
        after.to_move = !self.to_move;
        after
    }

    pub(crate) fn winner(&self) -> Option<Side> {
        self.queen_moves().is_empty().then_some(!self.to_move)
    }

    fn after_queen(&self, queen: QueenMove) -> PlainBoard {
        let mut after = self.clone();
        after.set(queen.from, SquareContent::Empty);
        after.set(queen.to, SquareContent::Amazon(self.to_move));
        after
    }

    fn width(&self) -> usize {
        self.cells[0].len()
    }

    fn at(&self, (x, y): Place) -> SquareContent {
        self.cells[y][x]
    }

    fn set(&mut self, square: Square, cell: SquareContent) {
        let (x, y) = place(square);
        self.cells[y][x] = cell;
    }

    fn step(&self, (x, y): Place, dx: isize, dy: isize) -> Option<Place> {
        let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
        (x < self.width() && y < self.cells.len()).then_some((x, y))
    }
}

pub(crate) fn square((x, y): Place) -> Square {
    let near = |n| u8::try_from(n).expect("a coordinate of a board");
    Square::new(near(x), near(y)).expect("a square of the largest board")
}

/// The sixteen symmetric images of a position: the board rotated and mirrored in eight ways, each
/// also with the two sides exchanged.
pub(crate) fn images(position: &Position) -> Vec<Position> {
    let mut image = PlainBoard::of(position);
    let next = |step| {
        // Alternately mirroring and transposing the board yields all eight symmetric boards.
        if step % 2 == 0 {
            image.cells.reverse();
        } else {
            let column = |x: usize| image.cells.iter().map(|row| row[x]).collect();
            image.cells = (0..image.width()).map(column).collect();
        }
        if step == 8 {
            for cell in image.cells.iter_mut().flatten() {
                if let SquareContent::Amazon(side) = cell {
                    *side = !*side;
                }
            }
            image.to_move = !image.to_move;
        }
        image.position()
    };
    (0..16).map(next).collect()
}

fn place(square: Square) -> Place {
    (square.x().into(), square.y().into())
}
