//! Parsers of the values of command-line options. An error names the value and what was expected.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use serde::de::{DeserializeOwned, IntoDeserializer};

use crate::threads::most_threads;

/// Parses an option's value, such as an enum variant, by the name that serde gives to the value.
pub(super) fn parse_serde_name<T: DeserializeOwned>(text: &str) -> Result<T, serde::de::value::Error> {
    T::deserialize(text.into_deserializer())
}

pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = within(f64::MIN_POSITIVE..=3.2e7, "seconds above 0 and up to 32000000, as in 0.5");
    seconds(text).map(Duration::from_secs_f64)
}

pub(super) fn parse_grace(text: &str) -> Result<Duration, String> {
    if text.parse() == Ok(0.0) { Ok(Duration::ZERO) } else { parse_seconds(text) }
}

/// Returns a function that parses a number within a range. `expected` describes the range in the
/// error message. For an integer option, the caller must state the type, as in `within::<u32>`. The
/// compiler does not infer this type, because clap checks it only at run time.
pub(super) fn within<T: FromStr + PartialOrd + Clone>(
    range: RangeInclusive<T>,
    expected: &str,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.trim().parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("'{text}': expected {expected}"))
    }
}

pub(super) fn parse_concurrency(text: &str) -> Result<usize, String> {
    within(1..=1024, "a number of games from 1 to 1024")(text)
}

pub(super) fn parse_threads(text: &str) -> Result<usize, String> {
    let most = most_threads();
    within(1..=most, &format!("a number of threads from 1 to {most}"))(text)
}

/// Parses a number of bytes with an optional suffix K, M or G for powers of 1024.
pub(super) fn parse_memory(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(['K', 'M', 'G', 'k', 'm', 'g']);
    let unit = &text[digits.len()..].to_ascii_uppercase();
    let shift = ["", "K", "M", "G"].iter().position(|known| known == unit);
    let bytes =
        shift.zip(digits.parse::<usize>().ok()).and_then(|(shift, n)| n.checked_mul(1 << (10 * shift)));
    let bytes = bytes.filter(|bytes| (1 << 20..=1 << 40).contains(bytes));
    bytes.ok_or_else(|| format!("'{text}': expected a size from 1M to 1024G, as in 200M"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::options::DEFAULT_MEMORY;
    use crate::search::EngineOptions;

    #[test]
    fn sizes_and_seconds_are_read_or_refused() {
        assert_eq!(parse_memory("200M"), Ok(200 << 20));
        assert_eq!(parse_memory(DEFAULT_MEMORY), Ok(EngineOptions::default().memory));
        assert_eq!(parse_memory("2g"), Ok(2 << 30));
        assert_eq!(parse_memory("1048576"), Ok(1 << 20));
        for text in ["", "M", "200MB", "200MM", "-1M", "1K", "99999999999999999999G", "18446744073709551615G"]
        {
            assert!(parse_memory(text).is_err(), "{text}");
        }
        assert_eq!(parse_seconds("0.25"), Ok(Duration::from_millis(250)));
        for text in ["", "0", "-1", "nan", "inf", "1e18", "1s"] {
            let error = parse_seconds(text).unwrap_err();
            assert_eq!(error, format!("'{text}': expected seconds above 0 and up to 32000000, as in 0.5"));
        }
    }
}
