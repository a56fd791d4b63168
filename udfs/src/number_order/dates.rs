//! Dates with the year first, alone or with a time, in order of time.

use super::is_digits;
use arrow::array::timezone::Tz;
use arrow::compute::kernels::cast_utils::string_to_datetime;
use std::borrow::Cow;
use std::time::Duration;

/// The length of `2020-01-31`.
const DATE_BYTES: usize = 10;

/// A text that begins with a date such as `2020-01-31`: the date, and the rest.
fn with_date(text: &str) -> Option<(&str, &str)> {
    let (date, rest) = text.split_at_checked(DATE_BYTES)?;
    let mut parts = date.split(['-', '/', '.']);
    let is_date = [4, 2, 2].into_iter().all(|length| {
        parts
            .next()
            .is_some_and(|part| part.len() == length && is_digits(part))
    });
    is_date.then_some((date, rest))
}

/// The time after a date such as `2020-01-31`.
pub(super) fn behind_date(text: &str) -> Option<&str> {
    let (_, rest) = with_date(text)?;
    Some(rest.strip_prefix(['T', 't', ' '])?.trim_start())
}

/// A date with the year first, or such a date and a time with or without a zone, as date and time in UTC. The order of the
/// results is that of time; a date is the beginning of its day. Points between year, month and day remain, because versions
/// of software may look so.
pub(super) fn in_utc(text: &str) -> Option<String> {
    let text = text.trim();
    let (date, rest) = with_date(text)?;
    let utc: Tz = "+00:00".parse().ok()?;
    let day = string_to_datetime(&utc, &date.replace(['/', '.'], "-")).ok()?;
    let clock = match rest.is_empty() {
        true => Clock::default(),
        false => Clock::of(rest)?,
    };
    let local = day + Duration::from_secs(clock.seconds);
    let offset = clock.seconds_of_zone()?;
    let distance = Duration::from_secs(offset.unsigned_abs());
    let time = match offset < 0 {
        true => local + distance,
        false => local - distance,
    };
    // Years of other than four digits would be in another order.
    let mut times = [time, local, day]
        .into_iter()
        .map(|time| time.naive_utc().to_string());
    let mut time = times.find(|time| time.find('-') == Some(4))?;
    if date.contains('.') {
        time = time.replace('-', ".");
    }
    Some(match clock.fraction.trim_end_matches('0') {
        "" => time,
        fraction => format!("{time}.{fraction}"),
    })
}

/// The parts of a time of day behind a date.
#[derive(Default)]
struct Clock<'a> {
    /// Seconds since midnight; `24:00` and leap seconds are those of the next minute.
    seconds: u64,
    /// The digits of the fraction of a second.
    fraction: &'a str,
    /// What follows.
    zone: &'a str,
    /// The number of its parts: hours, minutes, seconds.
    parts: usize,
    /// Whether it follows a blank, not `T`.
    is_behind_blank: bool,
}

impl<'a> Clock<'a> {
    /// ` 09:30`, ` 09:30:15`, also with `T` in place of the blank, and `T09`, `T0930`, `T093015`, seconds also with a fraction
    /// behind a point or a comma.
    fn of(rest: &'a str) -> Option<Self> {
        let text = rest.strip_prefix(['T', 't', ' '])?.trim_start();
        let is_behind_blank = rest.starts_with(' ');
        let is_of_clock = |c: char| c.is_ascii_digit() || c == ':';
        let rest = text.trim_start_matches(is_of_clock);
        let clock = &text[..text.len() - rest.len()];
        let parts: Vec<&str> = match clock.contains(':') {
            true => clock.split(':').collect(),
            // Digits behind a blank may be any number.
            false if is_behind_blank => return None,
            false => (0..clock.len())
                .step_by(2)
                .map_while(|at| clock.get(at..at + 2))
                .collect(),
        };
        let digits: usize = parts.iter().map(|part| part.len()).sum();
        let is_complete = digits == clock.replace(':', "").len();
        if !is_complete || !parts.iter().all(|part| part.len() == 2) || parts.len() > 3 {
            return None;
        }
        let number = |at: usize| parts.get(at).map_or(Some(0), |part| part.parse().ok());
        let (hours, minutes, seconds): (u64, u64, u64) = (number(0)?, number(1)?, number(2)?);
        let seconds_of_day = hours * 3600 + minutes * 60 + seconds;
        if parts.is_empty() || minutes > 59 || seconds > 60 || seconds_of_day > 24 * 3600 {
            return None;
        }
        let (fraction, zone) = match rest.strip_prefix(['.', ',']).filter(|_| parts.len() == 3) {
            Some(behind) => {
                let zone = behind.trim_start_matches(|c: char| c.is_ascii_digit());
                (&behind[..behind.len() - zone.len()], zone)
            }
            None => ("", rest),
        };
        Some(Self {
            seconds: seconds_of_day,
            fraction,
            zone,
            parts: parts.len(),
            is_behind_blank,
        })
    }

    /// True for a time without seconds behind which a later one follows, as in `T10-11` and ` 10:00-11:00`: that may be a
    /// difference from UTC, or a range of hours.
    fn may_be_range(&self) -> bool {
        let Some(end) = self.zone.strip_prefix('-') else {
            return false;
        };
        match self.parts {
            1 => true,
            2 if self.is_behind_blank => Clock::of(&format!(" {end}"))
                .is_some_and(|end| end.zone.is_empty() && end.seconds > self.seconds),
            _ => false,
        }
    }

    /// The seconds by which local time is ahead of UTC: of nothing, `Z`, `UTC`, `GMT`, or a difference from `-12:00` to
    /// `+14:00`, as `+02:00`, `+0200`, `+02` and `UTC+2`, which may have the name of the zone behind it.
    fn seconds_of_zone(&self) -> Option<i64> {
        if self.may_be_range() {
            return None;
        }
        let lower = self.zone.trim().to_ascii_lowercase();
        let in_brackets = |name: &str| {
            (name.starts_with('[') && name.ends_with(']'))
                || (name.starts_with('(') && name.ends_with(')'))
        };
        let named = ["utc", "gmt", "z"].iter();
        let named = named.filter_map(|name| lower.strip_prefix(name)).next();
        let difference = named.unwrap_or(&lower).trim_start();
        if difference.is_empty() || (named.is_some() && in_brackets(difference)) {
            return Some(0);
        }
        let sign = match difference.as_bytes()[0] {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let digits = &difference[1..];
        let name = digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
        let digits = &digits[..digits.len() - name.len()];
        let name = name.trim();
        let is_name = name.len() <= 5 && name.bytes().all(|b| b.is_ascii_alphabetic());
        if !(is_name || in_brackets(name)) {
            return None;
        }
        let (hours, minutes) = match digits.split_once(':') {
            Some(parts) => parts,
            None if digits.len() == 4 => digits.split_at(2),
            None => (digits, "00"),
        };
        if !matches!(hours.len(), 1 | 2) || minutes.len() != 2 {
            return None;
        }
        let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
        let seconds = sign * (hours * 3600 + minutes * 60);
        (minutes <= 59 && (-12 * 3600..=14 * 3600).contains(&seconds)).then_some(seconds)
    }
}

/// True for a date and time with the abbreviation of a zone whose offset is not known, as `2020-01-31 09:30 PST`, or with
/// what may be an offset or the end of a range, as `2020-01-31 09:30-10:30`.
pub(super) fn has_unknown_zone(text: &str) -> bool {
    let clock = with_date(text).and_then(|(_, rest)| Clock::of(rest));
    let is_unknown = |clock: Clock<'_>| {
        let zone = clock.zone.trim().to_ascii_lowercase();
        ZONES.contains(&zone.as_str()) || (clock.parts > 1 && clock.may_be_range())
    };
    clock.is_some_and(is_unknown) && in_utc(text).is_none() && in_utc(&text[..DATE_BYTES]).is_some()
}

/// A text with the separators of the texts that [`in_utc`] returns, among which it is ordered by its bytes: `-` after a year
/// and a month at its beginning in place of `/`, and a blank before a time in place of `T`.
pub(super) fn with_separators(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    let is_digit = |at: usize| trimmed.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let is_slash = |at: usize| trimmed.as_bytes().get(at) == Some(&b'/');
    let has_month = is_slash(4) && [0, 1, 2, 3, 5, 6].into_iter().all(is_digit) && !is_digit(7);
    let has_time = with_date(trimmed).is_some_and(|(_, rest)| rest.starts_with(['T', 't']))
        && is_digit(DATE_BYTES + 1);
    if !has_month && !has_time {
        return text.into();
    }
    let mut changed = trimmed.to_owned();
    if has_month {
        changed.replace_range(4..5, "-");
        if is_slash(7) && is_digit(8) && is_digit(9) && !is_digit(10) {
            changed.replace_range(7..8, "-");
        }
    }
    if has_time {
        changed.replace_range(DATE_BYTES..=DATE_BYTES, " ");
    }
    changed.into()
}

/// Abbreviations of zones.
pub(super) const ZONES: [&str; 33] = [
    "z", "utc", "gmt", "cest", "cet", "eest", "eet", "bst", "msk", "jst", "kst", "sast", "est",
    "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt", "akst", "akdt", "hst", "aest", "aedt", "acst",
    "acdt", "awst", "nzst", "nzdt", "ist", "west", "wet",
];

/// Abbreviations of zones that are also words.
pub(super) const WORDS: [&str; 3] = ["ist", "west", "wet"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_in_order_of_time() {
        for (earlier, later) in [
            ("2020-01-02T01:00:00+00:00", "2020-01-01T23:00:00-05:00"),
            ("2020-01-02T10:00:00+09:00", "2020-01-02T09:00:00Z"),
            ("2020-01-05T09:00:00", "2020-01-05 10:00:00"),
            ("2020/01/05", "2020-11-05"),
            ("2020-01-05T10:00:00Z", "2020-01-05T10:00:00.5Z"),
            ("2020-01-05 10:00:00,25", "2020-01-05t10:00:00.5 UTC"),
            ("2020-01-05", " 2020/01/05 00:00:00.000001 "),
            ("2020-01-05 23:59", "2020-01-06"),
            ("2019-12-31T23:30:00-0100", "2020-01-01 00:31 GMT"),
            ("2020-01-05 12:00+00:00", "2020-01-05 10:30-05:00"),
            ("2020-01-05 12:00", "2020-01-05 07:30-0500"),
            ("2020-01-05 12:00", "2020-01-05T04:30-08:00"),
            ("2020-01-05T10", "2020-01-05T1030"),
            ("2020-01-05T103000+0200", "2020-01-05 08:30:01 z"),
            ("2020-01-05 23:59:60", "2020-01-05 24:00:00.1"),
            (
                "2020-01-05 10:00:00.1234567891",
                "2020-01-05 10:00:00.1234567892",
            ),
            (
                "2009-11-10 23:00:00 +0100 CET",
                "2009-11-10 23:00:00 +0000 UTC",
            ),
            (
                "2020-01-05T10:00:00+02:00[Europe/Paris]",
                "2020-01-05 10:00 utc+1",
            ),
            ("2020-01-05T10:30:00Z", "9999-12-31T23:59:59-05:00"),
            ("0000-01-01T00:00+01:00", "0000-01-01T00:00:01+01:00"),
        ] {
            assert!(in_utc(earlier).is_some(), "{earlier}");
            assert!(in_utc(earlier) < in_utc(later), "{earlier}, {later}");
        }
        assert_eq!(in_utc("2020-01-05"), in_utc("2020/01/05T00:00Z"));
        for text in [
            "2020-13-05",
            "2020-01-05 10:00 PST",
            "2020-01-05 spam",
            "2020-01-05-1",
            "20200105",
            "2020-01",
            "10:30",
            "2020-01-05 25:00",
            "2020-01-05 10:3",
            "2020-01-05 103",
            "2020-01-05 10:60",
            "2020-01-05 24:01",
            "2020-01-05 10:30-",
            "2020-01-05 10:30 +25:00",
            "2020-01-05 10:30-11:30",
            "2020-01-05 10:30:00 -13:00",
            "2020-01-05T10-11",
            "2020-01-05 10",
            "2020-01-05 1030",
            "2020-01-05 10:30.5",
            "2020-01-05 10:30é",
            "2020-01-0é",
        ] {
            assert_eq!(in_utc(text), None, "{text}");
        }
    }
}
