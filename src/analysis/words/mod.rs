//! Sentences about games and their ends in English and Chinese, and the names of levels.

mod ends;
mod levels;

pub use ends::{action, noun, player, result};
pub use levels::CHINESE_LEVELS;

/// A language of messages for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// The text in this language.
    pub fn pick<T>(self, english: T, chinese: T) -> T {
        if self == Language::English { english } else { chinese }
    }

    pub(crate) fn remark(self, text: &str, remark: &str) -> String {
        self.pick(format!("{text} ({remark})"), format!("{text}（{remark}）"))
    }
}
