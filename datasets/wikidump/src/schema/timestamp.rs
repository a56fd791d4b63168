//! Timestamps of the export schema: `2010-08-26T22:38:36Z`.

/// Microseconds since 1970-01-01T00:00:00Z of a timestamp in UTC to the second; `None` for
/// anything else.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let bytes: &[u8; 20] = text.as_bytes().try_into().ok()?;
    let number = |range: std::ops::Range<usize>| {
        bytes[range].iter().try_fold(0i64, |value, byte| {
            byte.is_ascii_digit()
                .then(|| value * 10 + i64::from(byte - b'0'))
        })
    };
    for (at, mark) in [
        (4, b'-'),
        (7, b'-'),
        (10, b'T'),
        (13, b':'),
        (16, b':'),
        (19, b'Z'),
    ] {
        if bytes[at] != mark {
            return None;
        }
    }
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    if !(1..=12).contains(&month)
        || !(1..=days_in(year, month)).contains(&day)
        || hour > 23
        || minute > 59
        || second > 60
    {
        return None;
    }
    let days = days_since_1970(year, month, day);
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days in the proleptic Gregorian calendar. Years count from March, so that the leap day is the
/// last of its year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let before = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    before + (month * 153 + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_follows_the_one_before() {
        let mut want = days_since_1970(1600, 1, 1);
        for year in 1600..2500 {
            for month in 1..=12 {
                for day in 1..=days_in(year, month) {
                    assert_eq!(days_since_1970(year, month, day), want);
                    want += 1;
                }
            }
        }
        assert_eq!(days_since_1970(1970, 1, 1), 0);
    }

    #[test]
    fn well_formed_timestamps_parse_and_others_do_not() {
        assert_eq!(parse("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse("2010-08-26T22:38:36Z"), Some(1_282_862_316_000_000));
        assert_eq!(parse("2001-01-15T00:00:00Z"), Some(979_516_800_000_000));
        assert_eq!(parse("1969-12-31T23:59:59Z"), Some(-1_000_000));
        for bad in [
            "",
            "2010-08-26",
            "2010-08-26T22:38:36",
            "2010-08-26T22:38:36+",
            "2010-13-01T00:00:00Z",
            "2011-02-29T00:00:00Z",
            "2010-08-26T24:00:00Z",
            "2010-08-26t22:38:36Z",
            "20x0-08-26T22:38:36Z",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
