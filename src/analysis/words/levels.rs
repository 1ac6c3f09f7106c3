//! The names of levels in Chinese.

use quiver_engine::players::LEVELS;

/// The names of [`LEVELS`] in Chinese, in their order.
pub const CHINESE_LEVELS: [&str; LEVELS.len()] = [
    "入门",
    "新手",
    "学徒",
    "休闲",
    "业余",
    "常客",
    "棋社",
    "稳健",
    "熟手",
    "强手",
    "专家",
    "大师",
    "特级大师",
    "冠军",
];
