//! The integration tests as one program, so that the library is linked only once and tests share
//! the cores.

mod analyze;
mod book;
mod bot;
mod check;
mod command_line;
mod common;
mod contest;
mod convert;
mod endgame;
mod files;
mod games;
mod notations;
mod package;
mod perft;
mod readme;
mod replay_command;
mod rows;
mod rules;
mod search;
mod serve;
mod suite;
mod territory;
mod training;
