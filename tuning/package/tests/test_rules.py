"""Tests of the classes `Position` and `Move`. Tests in Rust check the rules themselves."""

import copy
import pickle

import numpy as np
import pytest
from quiver import Move, Position, perft


def test_arrays_say_what_the_moves_say():
    position = Position("3*2Q3/2Q7/4*5/Q2*5Q/6*3/2*3q3/q4*3q/10/4*5/3q2*3 b")
    moves = position.legal_moves()
    assert (perft(position, 0), perft(position, 1), perft(Position.start(), 1)) == (1, len(moves), 2176)
    assert perft(position, 2) == sum(position.play(move).count_moves() for move in moves)
    array = position.legal_move_array()
    assert array.dtype == np.int64
    assert [Move.from_squares(*squares) for squares in array] == moves
    assert [move.squares for move in moves] == [tuple(squares) for squares in array.tolist()]
    queens = position.queen_moves().tolist()
    by_halves = [(*queen, arrow) for queen in queens for arrow in position.arrows(*queen).tolist()]
    assert by_halves == [move.squares for move in moves]
    array[:] = 0  # The array belongs to the caller.
    assert position.legal_move_array().any()


def test_planes_are_the_board_from_the_movers_side():
    position = Position("Q2q/1*2/4 w")
    assert (position.width, position.height) == (4, 3)
    expected = np.zeros((3, 3, 4))
    expected[0, 2, 0] = expected[1, 2, 3] = expected[2, 1, 1] = 1
    assert np.array_equal(position.planes(), expected)
    assert position.amazons(0).tolist() == [32]
    other = Position("Q2q/1*2/4 b").planes()
    assert np.array_equal(other, expected[[1, 0, 2]])
    assert str(position).splitlines() == [" 3 Q . . q", " 2 . * . .", " 1 . . . .", "   a b c d"]


@pytest.mark.parametrize("text", ["d1-d7/g7", "d1-d7-g7", "D1D7G7", "d1d7,d7g7", "3 0 3 6 6 6"])
def test_every_notation_is_read(text):
    move = Move(text)
    assert (str(move), move.uci, move.numbers) == ("d1-d7/g7", "d1d7,d7g7", (3, 0, 3, 6, 6, 6))
    assert (move.from_square, move.to_square, move.arrow) == move.squares == (3, 99, 102)
    assert repr(move) == "Move('d1-d7/g7')"
    assert Position.start().play(text) == Position.start().play(move)


def test_values_are_compared_hashed_copied_and_pickled():
    position, move = Position.start(8), Move("c1-c5/f5")
    for value in (position, move):
        again = pickle.loads(pickle.dumps(value))
        assert again == value == copy.deepcopy(value) == eval(repr(value))
        assert hash(again) == hash(value)
    assert position != position.play(move)
    assert move < Move("c1-c6/f6")
    assert sorted(position.legal_moves())[0] < position.legal_moves()[-1]
    assert Position(position.fen) == position
    assert Position.start(10, "left").fen == "3Q2q3/10/10/Q8q/10/10/Q8q/10/10/3Q2q3 w - - 0 1"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Position("3/2/3 w"), "row 2 of the FEN has 2 squares"),
        (lambda: Position.start(7), "no start position for a board of 7x7"),
        (lambda: Position.start(200), "a board of 200x200: expected width"),
        (lambda: Position.start(8, "right"), "assignment = 'right': expected 'formula' or 'left'"),
        (lambda: Move("d1-d7"), "'d1-d7' is no full move"),
        (lambda: Move.from_squares(0, 1, 10), "10 is no square: expected 16 \\* y \\+ x"),
        (
            lambda: Position.start().play("a1-a2/a3"),
            "a1 holds nothing, expected an amazon of the first player",
        ),
        (lambda: Position.start().arrows(3, 4 * 16), "the amazon on d1 does not reach a5"),
        (lambda: Position.start().amazons(2), "2 is no side: expected 0"),
    ],
)
def test_bad_input_is_refused_with_a_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="expected a Move or its text"):
        Position.start().play(3)
    assert Position.start() != "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1"
    with pytest.raises(AttributeError):
        Position.start().fen = ""
