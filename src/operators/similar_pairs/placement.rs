//! Spreads the parts of a join evenly over partitions.
//!
//! An exchange puts a row into the partition that the hash of its key gives, modulo the number of partitions. The hashes
//! of the numbers of a few parts collide: of eight parts, two or three often come to one of eight partitions and none to
//! others. Therefore each part has a value whose hash is the number of the part, modulo [`MODULUS`], and rows are
//! exchanged by that value.

use datafusion::arrow::array::{ArrayRef, UInt64Array};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::hash_utils::create_hashes;
use datafusion::common::{Result, ScalarValue};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{case, lit};
use datafusion::physical_plan::repartition::REPARTITION_RANDOM_STATE;
use std::sync::{Arc, LazyLock};

/// It is divisible by all numbers of partitions up to 10, and by many larger ones. Parts are spread evenly over a number
/// of partitions that divides it, and by their hashes over others.
const MODULUS: usize = 20_160;
/// The number of parts that are spread.
const PARTS: usize = 256;
/// The number of values that are hashed at a time.
const CHUNK: u64 = 8_192;
/// The maximum number of values that are hashed; about 130,000 are enough.
const MAX_VALUES: u64 = 1 << 21;

/// For each part a value whose hash is the number of the part, modulo [`MODULUS`].
static VALUES: LazyLock<Vec<Option<u64>>> = LazyLock::new(|| {
    let mut values = vec![None; PARTS];
    let mut missing = PARTS;
    let mut hashes = vec![0; CHUNK as usize];
    let mut start = 0;
    while missing > 0 && start < MAX_VALUES {
        let chunk: ArrayRef = Arc::new(UInt64Array::from_iter_values(start..start + CHUNK));
        hashes.fill(0);
        let random_state = REPARTITION_RANDOM_STATE.random_state();
        let Ok(hashes) = create_hashes([&chunk], random_state, &mut hashes) else {
            break;
        };
        for (value, hash) in (start..).zip(hashes.iter()) {
            let part = (hash % MODULUS as u64) as usize;
            if let Some(free @ None) = values.get_mut(part) {
                *free = Some(value);
                missing -= 1;
            }
        }
        start += CHUNK;
    }
    values
});

/// What the rows of a join are exchanged by, for a column with the numbers of `parts` parts.
pub(super) fn exchanged_by(
    part: Arc<dyn PhysicalExpr>,
    data_type: &DataType,
    parts: u32,
) -> Arc<dyn PhysicalExpr> {
    if parts as usize > PARTS {
        return part;
    }
    let of_parts = (0..parts).zip(VALUES.iter()).map(|(part, value)| {
        let number = ScalarValue::UInt32(Some(part)).cast_to(data_type)?;
        Ok((lit(number), lit(value.unwrap_or(u64::from(part)))))
    });
    let of_parts = of_parts.collect::<Result<Vec<_>>>();
    let value = of_parts.and_then(|of_parts| case(Some(Arc::clone(&part)), of_parts, None));
    value.unwrap_or(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::array::{Int64Array, RecordBatch};
    use datafusion::physical_expr::expressions::Column;
    use datafusion::physical_plan::metrics::Time;
    use datafusion::physical_plan::repartition::BatchPartitioner;

    /// The number of rows in each partition, of one row for each part.
    fn rows(parts: u32, partitions: usize) -> Result<Vec<usize>> {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..i64::from(parts)));
        let batch = RecordBatch::try_from_iter([("part", numbers)])?;
        let key = exchanged_by(Arc::new(Column::new("part", 0)), &DataType::Int64, parts);
        let mut partitioner =
            BatchPartitioner::new_hash_partitioner(vec![key], partitions, Time::default())?;
        let mut rows = vec![0; partitions];
        partitioner.partition(batch, |partition, batch| {
            rows[partition] += batch.num_rows();
            Ok(())
        })?;
        Ok(rows)
    }

    #[test]
    fn parts_are_spread_evenly() -> Result<()> {
        assert!(VALUES.iter().all(Option::is_some));
        for partitions in [1, 2, 3, 4, 7, 8, 9, 16, 64] {
            for parts in [1, 7, 8, 64, 256] {
                let rows = rows(parts, partitions)?;
                let (least, most) = (rows.iter().min(), rows.iter().max());
                let is_even = least
                    .zip(most)
                    .is_some_and(|(least, most)| most - least <= 1);
                assert!(is_even, "{parts} parts: {rows:?}");
            }
        }
        assert_eq!(rows(300, 7)?.iter().sum::<usize>(), 300);
        Ok(())
    }
}
