//! Sort keys that order texts as numbers.

/// The first byte of a key gives its kind. Texts that are not numbers are last in either direction.
const OTHER_DESCENDING: u8 = 0;
const NEGATIVE: u8 = 1;
const ZERO: u8 = 2;
const POSITIVE: u8 = 3;
const OTHER_ASCENDING: u8 = 4;

/// Appends to `out` a sort key, to be compared by its bytes: numbers are ordered by their exact values, all other
/// texts by their bytes. Other texts are greater than all numbers or, if `descending`, less, so that they come
/// last in either direction.
///
/// A number is a decimal with an optional sign, fraction and exponent, surrounded by optional blanks: `007`,
/// `-1.50`, `.5`, `1e400`. Equal numbers have equal keys, however they are written: `7` and `7.0`. Exponents that
/// do not fit 64 bits are replaced by the largest one.
pub fn number_order_into(text: &str, descending: bool, out: &mut Vec<u8>) {
    let Some(number) = Number::parse(text.trim_ascii()) else {
        out.push(if descending {
            OTHER_DESCENDING
        } else {
            OTHER_ASCENDING
        });
        out.extend_from_slice(text.as_bytes());
        return;
    };
    let digits = number.digits();
    let Some(first) = digits.clone().position(|digit| digit != b'0') else {
        out.push(ZERO);
        return;
    };
    // 0.d₁d₂… × 10^exponent, where d₁ is not 0.
    let exponent = i128::from(number.exponent) + number.whole.len() as i128 - first as i128;
    let exponent = exponent.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
    let last = digits.clone().rposition(|digit| digit != b'0');
    let digits = digits.take(last.map_or(0, |last| last + 1)).skip(first);
    let begin = out.len();
    out.push(POSITIVE);
    out.extend((exponent as u64 ^ 1 << 63).to_be_bytes());
    out.extend(digits);
    if number.is_negative {
        // If the digits of one number are a prefix of those of the other, the negative number with more digits is
        // less. The greater byte at the end of the shorter key gives this order.
        out.iter_mut().skip(begin).for_each(|byte| *byte = !*byte);
        out.push(u8::MAX);
        out[begin] = NEGATIVE;
    }
}

/// The parts of a number as it is written.
struct Number<'a> {
    is_negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
}

impl<'a> Number<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (is_negative, bytes) = signed(bytes);
        let (whole, rest) = leading_digits(bytes);
        let (fraction, rest) = match rest.split_first() {
            Some((b'.', rest)) => leading_digits(rest),
            _ => (&rest[..0], rest),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let exponent = match rest.split_first() {
            None => 0,
            Some((b'e' | b'E', rest)) => {
                let (is_negative, rest) = signed(rest);
                let (digits, rest) = leading_digits(rest);
                if digits.is_empty() || !rest.is_empty() {
                    return None;
                }
                let value = digits.iter().fold(0_i64, |value, digit| {
                    value
                        .saturating_mul(10)
                        .saturating_add(i64::from(digit - b'0'))
                });
                if is_negative { -value } else { value }
            }
            Some(_) => return None,
        };
        Some(Self {
            is_negative,
            whole,
            fraction,
            exponent,
        })
    }

    fn digits(&self) -> impl DoubleEndedIterator<Item = u8> + ExactSizeIterator + Clone + 'a {
        let (whole, fraction) = (self.whole, self.fraction);
        (0..whole.len() + fraction.len()).map(move |index| match index.checked_sub(whole.len()) {
            None => whole[index],
            Some(index) => fraction[index],
        })
    }
}

fn signed(bytes: &[u8]) -> (bool, &[u8]) {
    match bytes.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, bytes),
    }
}

fn leading_digits(bytes: &[u8]) -> (&[u8], &[u8]) {
    let count = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    bytes.split_at(count)
}

#[cfg(test)]
mod tests {
    use super::number_order_into;
    use crate::test_random::Random;

    fn key(text: &str) -> Vec<u8> {
        key_for(text, false)
    }

    fn key_for(text: &str, descending: bool) -> Vec<u8> {
        let mut out = vec![];
        number_order_into(text, descending, &mut out);
        out
    }

    #[test]
    fn what_is_no_number_is_last_in_either_direction() {
        for (other, number) in [("a", "-1e99"), ("a", "7"), ("", "0"), ("n/a", "1e99")] {
            assert!(key_for(other, false) > key_for(number, false));
            assert!(key_for(other, true) < key_for(number, true));
        }
        for (small, large) in [("a", "b"), ("7", "10"), ("-2", "-1")] {
            assert!(key_for(small, true) < key_for(large, true));
        }
    }

    #[test]
    fn numbers_come_in_their_order_and_before_texts() {
        let ascending = [
            "-1e9223372036854775807",
            "-1e400",
            "-36893488147419103233",
            "-36893488147419103232",
            "-10",
            "-9.99",
            "-9.9",
            "-0.10000000000000000000000001",
            "-0.1",
            "-1e-400",
            "0",
            "1e-400",
            ".09",
            "0.1",
            "0.10000000000000000000000001",
            "7",
            "9.9",
            "9.99",
            "10",
            "9007199254740992",
            "9007199254740993",
            "36893488147419103232",
            "1e400",
            "1e401",
            "",
            "+",
            ".",
            "0x10",
            "1.2.3",
            "1e",
            "NaN",
            "a",
            "inf",
        ];
        for pair in ascending.windows(2) {
            assert!(key(pair[0]) < key(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn equal_numbers_are_equal_however_they_are_written() {
        for same in [
            &[
                "7",
                "007",
                "+7",
                "7.",
                "7.0",
                " 7 ",
                "70e-1",
                "0.7E1",
                "700e-00002",
            ][..],
            &["0", "-0", "0.0", ".0", "0e99", "-0e-99999999999999999999"],
            &["-1.5", "-01.50", "-15e-1"],
            &["1e99999999999999999999", "1e99999999999999999998"],
        ] {
            for text in same {
                assert_eq!(key(text), key(same[0]), "{text}");
            }
        }
    }

    /// Against 128-bit integers of thousandths.
    #[test]
    fn random_decimals_come_in_their_order() {
        let mut random = Random::new(3);
        let mut decimal = || {
            let size = 10_i128.pow(random.below(20));
            let sign = if random.below(2) == 0 { -1 } else { 1 };
            let thousandths = sign * (i128::from(random.next()) % size);
            let (whole, fraction) = (thousandths.abs() / 1000, thousandths.abs() % 1000);
            let minus = if thousandths < 0 { "-" } else { "" };
            (thousandths, format!("{minus}{whole}.{fraction:03}"))
        };
        let mut counts = [0; 3];
        for _ in 0..20_000 {
            let (a, b) = (decimal(), decimal());
            let expected = a.0.cmp(&b.0);
            assert_eq!(key(&a.1).cmp(&key(&b.1)), expected, "{a:?} {b:?}");
            counts[(expected as i8 + 1) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
    }
}
