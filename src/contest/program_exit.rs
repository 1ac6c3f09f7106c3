//! Describes how a failed program ended.

use serde::{Deserialize, Serialize};

use crate::words::Language;

/// How a failed program ended: its exit status or the signal that ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgramExit {
    /// An exit status other than 0.
    Status(i32),
    Signal(i32),
}

impl ProgramExit {
    pub(crate) const SEGMENTATION_FAULT: ProgramExit = ProgramExit::Signal(11);

    pub(crate) fn text(self, language: Language) -> String {
        let (signal, english, chinese) = match self {
            ProgramExit::Status(code) => {
                return language.pick(format!("ended with status {code}"), format!("程序以状态 {code} 退出"));
            }
            ProgramExit::Signal(signal @ 4) => (signal, "an illegal instruction", "非法指令"),
            ProgramExit::Signal(signal @ 6) => (signal, "abort", " abort "),
            ProgramExit::Signal(signal @ 8) => (signal, "an arithmetic fault", "算术错误"),
            ProgramExit::Signal(signal @ 11) => (signal, "a segmentation fault", "段错误"),
            ProgramExit::Signal(other) => {
                return language.pick(format!("ended by signal {other}"), format!("程序被信号 {other} 终止"));
            }
        };
        language.pick(
            format!("ended by {english} (signal {signal})"),
            format!("程序因{chinese}（信号 {signal}）终止"),
        )
    }
}
