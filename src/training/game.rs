//! The bytes of a self-play game, which `schema.md` describes.

use crate::game::{
    EndKind, FullMove, Game, GameEnd, InputError, Ply, Position, QueenMove, Side, Square, TurnFacts,
};

const PROVEN: u8 = 4;
/// The most queen moves, and the most arrows, whose visits a ply records.
pub(super) const MOST_SHARES: usize = 16;

/// The comment of a random ply before the first search, which has no value.
const OPENING: &str = "a random ply of the opening";

/// The comment of a deliberate blunder; nothing else tells it from the search's choice.
const BLUNDER: &str = "a deliberate blunder";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlyKind {
    /// The search: its best move.
    Best = 0,
    /// Chance, before the first search; in a game from elsewhere any move without a value.
    Opening = 1,
    /// Chance, against the search's advice.
    Blunder = 2,
}

impl PlyKind {
    pub fn of(ply: &Ply) -> PlyKind {
        match ply.facts.value {
            None => PlyKind::Opening,
            Some(_) if ply.facts.comment == BLUNDER => PlyKind::Blunder,
            Some(_) => PlyKind::Best,
        }
    }

    /// The facts of a ply of this kind; no search valued an opening.
    pub(super) fn facts(self, value: u16, proven: bool) -> TurnFacts {
        let comment = match self {
            PlyKind::Opening => OPENING,
            PlyKind::Blunder => BLUNDER,
            PlyKind::Best if proven => "proven",
            PlyKind::Best => "",
        };
        let value = (self != PlyKind::Opening).then(|| f64::from(value) / f64::from(u16::MAX));
        TurnFacts { comment: comment.to_owned(), value, proven, ..TurnFacts::default() }
    }
}

/// The mover's chance of winning in units of 1 / 65,535; 0 without one.
pub(super) fn value(facts: &TurnFacts) -> u16 {
    short(facts.value.unwrap_or_default())
}

/// A chance in units of 1 / 65,535.
pub(super) fn short(chance: f64) -> u16 {
    (chance.clamp(0.0, 1.0) * f64::from(u16::MAX)).round() as u16
}

pub(super) fn begun(start: &Position) -> Game {
    let name = || Some("quiver selfplay".to_owned());
    let mut game = Game::new(*start);
    game.players = [name(), name()];
    game
}

/// The bytes of a game that was played out, and of its number in the recipe that it was played by.
pub(super) fn to_bytes(number: u32, game: &Game) -> Vec<u8> {
    let mut bytes = number.to_le_bytes().to_vec();
    // No board has more than a hundred squares to burn.
    bytes.extend([(!game.position().to_move()).index() as u8, game.plies().len() as u8]);
    for ply in game.plies() {
        let Ply { full: FullMove { from, to, arrow }, facts } = ply;
        let flags = PlyKind::of(ply) as u8 | if facts.proven { PROVEN } else { 0 };
        bytes.extend([from.to_byte(), to.to_byte(), arrow.to_byte(), flags]);
        bytes.extend(value(facts).to_le_bytes());
        bytes.push(facts.queen_shares.len() as u8);
        for (queen, share) in &facts.queen_shares {
            bytes.extend([queen.from.to_byte(), queen.to.to_byte()]);
            bytes.extend(share.to_le_bytes());
        }
        bytes.push(facts.arrow_shares.len() as u8);
        for (arrow, share) in &facts.arrow_shares {
            bytes.push(arrow.to_byte());
            bytes.extend(share.to_le_bytes());
        }
    }
    bytes
}

/// Reads a game and its number from its bytes: one that can be played from `start` to the end that
/// it claims.
pub(super) fn from_bytes(bytes: &[u8], start: &Position) -> Result<(u32, Game), String> {
    let mut reader = Reader { ply: 0, rest: bytes };
    let number = u32::from_le_bytes(reader.take()?);
    let [winner, count] = reader.take()?;
    let winner = Side::BOTH.get(usize::from(winner)).copied();
    let winner = winner.ok_or_else(|| reader.error(bytes[4], "the winner", "0 or 1"))?;
    let mut plies = Vec::with_capacity(usize::from(count));
    for ply in 1..=count {
        reader.ply = ply;
        plies.push(reader.ply()?);
    }
    if !reader.rest.is_empty() {
        return Err(format!("{} bytes after ply {count}, the last: expected none", reader.rest.len()));
    }
    let mut game = begun(start);
    for (ply, played) in (1..).zip(plies) {
        let illegal = |cause| format!("game {number}, ply {ply}: {cause}");
        check_shares(game.position(), &played).map_err(illegal)?;
        game.play(played).map_err(illegal)?;
    }
    if game.position().winner() != Some(winner) {
        let side = game.position().to_move();
        let state = if game.position().can_move(side) { "has a move" } else { "has none" };
        let end = format!("ends with the {side} player to move, who {state}");
        return Err(format!("game {number} {end}: expected a loss of the {} player", !winner));
    }
    game.end = Some(GameEnd::new(winner, EndKind::NoMove));
    Ok((number, game))
}

fn check_shares(position: &Position, Ply { full, facts }: &Ply) -> Result<(), InputError> {
    for &(queen, _) in &facts.queen_shares {
        position.move_queen(queen)?;
    }
    let half = position.move_queen(full.queen())?;
    facts.arrow_shares.iter().try_for_each(|&(arrow, _)| half.shoot(arrow).map(drop))
}

/// Takes a game's plies from the front of its bytes.
struct Reader<'a> {
    /// The ply being read, from 1.
    ply: u8,
    rest: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let split = self.rest.split_first_chunk::<N>();
        let (bytes, rest) =
            split.ok_or_else(|| format!("ply {}: the bytes end inside: expected whole plies", self.ply))?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn ply(&mut self) -> Result<Ply, String> {
        let [from, to, arrow, flags] = self.take()?;
        let kind = [PlyKind::Best, PlyKind::Opening, PlyKind::Blunder].get(usize::from(flags & !PROVEN));
        let kind = kind.ok_or_else(|| self.error(flags, "flags", "0 to 2 or 4 to 6"))?;
        let full = FullMove {
            from: self.square(from, "the square left")?,
            to: self.square(to, "the square reached")?,
            arrow: self.square(arrow, "the square burnt")?,
        };
        let value = u16::from_le_bytes(self.take()?);
        let queen_shares = self.shares(|reader, [from, to]: [u8; 2]| {
            let from = reader.square(from, "the square left by a visited queen move")?;
            Ok(QueenMove { from, to: reader.square(to, "the square reached by a visited queen move")? })
        })?;
        let arrow_shares =
            self.shares(|reader, [arrow]: [u8; 1]| reader.square(arrow, "the square of a visited arrow"))?;
        let facts = kind.facts(value, flags & PROVEN != 0);
        Ok(Ply { full, facts: TurnFacts { queen_shares, arrow_shares, ..facts } })
    }

    fn shares<const N: usize, T>(
        &mut self,
        parse: impl Fn(&Self, [u8; N]) -> Result<T, String>,
    ) -> Result<Vec<(T, u16)>, String> {
        let [count] = self.take()?;
        if usize::from(count) > MOST_SHARES {
            return Err(self.error(count, "a number of visited moves", "0 to 16"));
        }
        let one =
            |_| Ok((self.take().and_then(|bytes| parse(self, bytes))?, u16::from_le_bytes(self.take()?)));
        (0..count).map(one).collect()
    }

    fn square(&self, got: u8, what: &str) -> Result<Square, String> {
        Square::from_byte(got).ok_or_else(|| self.error(got, what, "16 * y + x with x and y below 10"))
    }

    fn error(&self, got: u8, what: &str, expected: &str) -> String {
        format!("ply {}: {got} as {what}, expected {expected}", self.ply)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::game::Fen;

    pub(in crate::training) fn tiny() -> Game {
        let mut game = begun(&"Q1*/**1/*1q w".parse::<Fen>().unwrap().0);
        for (text, kind, value) in [
            ("a3-b3/a3", PlyKind::Opening, 0),
            ("c1-b1/c1", PlyKind::Blunder, 40_000),
            ("b3-c2/b3", PlyKind::Best, u16::MAX),
        ] {
            let full: FullMove = text.parse().unwrap();
            let mut facts = kind.facts(value, value == u16::MAX);
            if kind == PlyKind::Best {
                facts.queen_shares = vec![(full.queen(), u16::MAX)];
                facts.arrow_shares = vec![(full.arrow, 65_000)];
            }
            game.extend([Ply { full, facts }]).unwrap();
        }
        game.end = Some(GameEnd::new(Side::First, EndKind::NoMove));
        game
    }

    #[test]
    fn game_survives_its_bytes() {
        let game = tiny();
        let (start, bytes) = (game.start(), to_bytes(7, &game));
        assert_eq!(bytes.len(), 6 + 3 * 8 + 4 + 3);
        assert_eq!(from_bytes(&bytes, start), Ok((7, game.clone())));
        for length in 0..bytes.len() {
            from_bytes(&bytes[..length], start).unwrap_err();
        }
        from_bytes(&[&bytes[..], &[0]].concat(), start).unwrap_err();
        let kinds: Vec<_> = game.plies().iter().map(PlyKind::of).collect();
        assert_eq!(kinds, [PlyKind::Opening, PlyKind::Blunder, PlyKind::Best]);
        assert!((game.plies()[1].facts.value.unwrap() - 0.610_36).abs() < 1e-5);
    }

    #[test]
    fn refuses_bytes_without_a_meaning_and_games_that_cannot_be_played() {
        let game = tiny();
        let bytes = to_bytes(7, &game);
        for (place, value, expected) in [
            (4, 2, "ply 0: 2 as the winner, expected 0 or 1"),
            (5, 4, "ply 4: the bytes end inside: expected whole plies"),
            (5, 2, "15 bytes after ply 2, the last: expected none"),
            (6, 0x0a, "ply 1: 10 as the square left"),
            (12, 17, "ply 1: 17 as a number of visited moves, expected 0 to 16"),
            (16, 0xa0, "ply 2: 160 as the square burnt"),
            (25, 8, "ply 3: 8 as flags"),
            (25, 3, "ply 3: 3 as flags"),
            (29, 0xfa, "ply 3: 250 as the square left by a visited queen move"),
            (34, 0xff, "ply 3: 255 as the square of a visited arrow"),
            // Another winner, a move from a burnt square, and visits of moves that are illegal.
            (4, 1, "who has none: expected a loss of the first player"),
            (14, 0x20, "game 7, ply 2: a3 holds an arrow"),
            (30, 0x20, "game 7, ply 3: "),
            (34, 0x20, "game 7, ply 3: "),
        ] {
            let mut bad = bytes.clone();
            bad[place] = value;
            let error = from_bytes(&bad, game.start()).unwrap_err();
            assert!(error.contains(expected), "{place}: {error}");
        }
        let short = [&bytes[..5], &[1], &bytes[6..14]].concat();
        let error = from_bytes(&short, game.start()).unwrap_err();
        assert!(error.contains("the second player to move, who has a move"), "{error}");
    }
}
