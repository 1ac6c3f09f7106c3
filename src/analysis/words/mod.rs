//! Sentences about games and their ends, in English and Chinese, and the Chinese names of levels.

mod ends;

use quiver_engine::players::LEVELS;
use serde::Serialize;

pub use ends::{action, noun, player, result};

/// The Chinese names of [`LEVELS`], in the same order.
#[rustfmt::skip]
pub const CHINESE_LEVELS: [&str; LEVELS.len()] = [
    "入门", "新手", "学徒", "休闲", "业余", "常客", "棋社", "稳健", "熟手", "强手", "专家", "大师", "特级大师", "冠军",
];

/// A language of messages for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese.
    Chinese,
}

/// A text in English and Chinese.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bilingual {
    en: String,
    zh: String,
}

impl Bilingual {
    /// Calls `text` once for each language, and keeps both results.
    pub fn of(text: impl Fn(Language) -> String) -> Bilingual {
        Bilingual { en: text(Language::English), zh: text(Language::Chinese) }
    }
}

impl Language {
    /// Returns `english` or `chinese`, whichever belongs to this language.
    pub fn pick<T>(self, english: T, chinese: T) -> T {
        if self == Language::English { english } else { chinese }
    }

    pub(crate) fn remark(self, text: &str, remark: &str) -> String {
        self.pick(format!("{text} ({remark})"), format!("{text}（{remark}）"))
    }
}
