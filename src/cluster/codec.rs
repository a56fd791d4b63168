//! Serialises neardup's operators and tables for the processes of a cluster; the engine serialises everything
//! else.
//!
//! The bytes begin with a mark that no message of the engine begins with, then a letter for the kind, then
//! JSON. The engine serialises the children of an operator separately.

use super::copy_to::CopyFormat;
use super::keyed::{Declared, KeyedExec, KeyedSpec};
use super::outer_join::OuterJoinExec;
use super::scalar_subqueries::only_row;
use crate::operators::one_input::only;
use crate::operators::similar_pairs::{SimilarPairs, SimilarPairsExec, Spec};
use crate::operators::whole_files::WholeFilesExec;
use crate::operators::write_step::{SortColumn, Target, WriteStep, WriteStepExec};
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::catalog::TableProvider;
use datafusion::common::{
    DataFusionError, Result, TableReference, exec_err, internal_datafusion_err, internal_err,
};
use datafusion::datasource::MemTable;
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::datasource::physical_plan::FileSource;
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{AggregateUDF, Extension, LogicalPlan, ScalarUDF, WindowUDF};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::from_proto::parse_protobuf_file_scan_config;
use datafusion_proto::physical_plan::to_proto::serialize_file_scan_config;
use datafusion_proto::physical_plan::{
    AsExecutionPlan, PhysicalExtensionCodec, PhysicalPlanDecodeContext,
    PhysicalProtoConverterExtension,
};
use datafusion_proto::protobuf::{FileScanExecConf, PhysicalExprNode, PhysicalPlanNode};
use neardup_datasets::{
    DumpSource, DumpTable, NumberedParquet, NumberedParquetSource, RecordSource, RecordTable, Wire,
    WordVectorSource, WordVectorTable, file_scan,
};
use prost::Message;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::sync::Arc;

/// Begins with the protobuf field number 0, which no message has.
const MARK: &[u8] = b"\0neardup";
const SIMILAR_PAIRS: u8 = b'p';
const WRITE_STEP: u8 = b'w';
const DUMP: u8 = b'd';
const WORD_VECTORS: u8 = b'v';
const RECORDS: u8 = b'r';
const NUMBERED_PARQUET: u8 = b'n';
const MEMORY: u8 = b'm';
const KEYED: u8 = b'k';
const OUTER_JOIN: u8 = b'o';
const WHOLE_FILES: u8 = b'f';
const WRITTEN: u8 = b'c';

/// Largest size in bytes of a table in the client's memory that is sent inside the plan.
pub(super) const INLINE_BYTES: usize = 64 << 20;

/// The serialised parameters of [`SimilarPairsExec`].
#[derive(Serialize, Deserialize)]
struct PairsParts {
    spec: Spec,
    spools: bool,
}

/// The serialised parameters of [`KeyedExec`]; each key is an encoded expression.
#[derive(Serialize, Deserialize)]
struct KeyedParts {
    keys: Option<Vec<Vec<u8>>>,
    declared: Declared,
    no_rows: bool,
    in_turn: bool,
}

/// The serialised parameters of [`WriteStepExec`].
#[derive(Serialize, Deserialize)]
struct StepParts {
    target: Target,
    order: Vec<SortColumn>,
}

fn mark(kind: u8, buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(MARK);
    buffer.push(kind);
}

/// The kind and the body of bytes that begin with the mark.
fn marked(buffer: &[u8]) -> Option<(u8, &[u8])> {
    let (kind, body) = buffer.strip_prefix(MARK)?.split_first()?;
    Some((*kind, body))
}

fn write<T: Serialize>(kind: u8, value: &T, buffer: &mut Vec<u8>) -> Result<()> {
    mark(kind, buffer);
    serde_json::to_writer(buffer, value).map_err(|error| DataFusionError::External(error.into()))
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| {
        internal_datafusion_err!("received a plan of another version of neardup: {error}")
    })
}

/// Writes a table of files.
fn write_wire(kind: u8, table: &impl Wire, buffer: &mut Vec<u8>) -> Result<()> {
    mark(kind, buffer);
    buffer.extend(table.to_bytes()?);
    Ok(())
}

fn unknown<T>(kind: u8) -> Result<T> {
    internal_err!(
        "received a plan of another version of neardup: node '{}'",
        char::from(kind)
    )
}

/// Functions are sent by name; this resolves neardup's own without the registry of a process.
fn scalar_function(name: &str) -> Option<Arc<ScalarUDF>> {
    let mut all = neardup_udfs::scalar_functions().into_iter();
    all.find(|function| function.name() == name)
}

fn aggregate_function(name: &str) -> Option<Arc<AggregateUDF>> {
    let all = neardup_udfs::aggregate_functions().into_iter();
    let mut all = all.chain([Arc::new(only_row())]);
    all.find(|function| function.name() == name)
}

fn window_function(name: &str) -> Option<Arc<WindowUDF>> {
    let mut all = neardup_udfs::window_functions().into_iter();
    all.find(|function| function.name() == name)
}

/// Logical plans.
#[derive(Debug, Default)]
pub(super) struct LogicalCodec(BallistaLogicalExtensionCodec);

impl LogicalExtensionCodec for LogicalCodec {
    fn try_decode(
        &self,
        buffer: &[u8],
        inputs: &[LogicalPlan],
        context: &TaskContext,
    ) -> Result<Extension> {
        let Some((kind, body)) = marked(buffer) else {
            return self.0.try_decode(buffer, inputs, context);
        };
        let node = match kind {
            SIMILAR_PAIRS => {
                let node = SimilarPairs::try_new(only(inputs.to_vec())?, read(body)?)?;
                return Ok(Extension {
                    node: Arc::new(node),
                });
            }
            WRITE_STEP => WriteStep::try_new(only(inputs.to_vec())?, read(body)?)?,
            other => return unknown(other),
        };
        Ok(Extension {
            node: Arc::new(node),
        })
    }

    fn try_encode(&self, extension: &Extension, buffer: &mut Vec<u8>) -> Result<()> {
        let node = extension.node.as_any();
        if let Some(pairs) = node.downcast_ref::<SimilarPairs>() {
            write(SIMILAR_PAIRS, pairs.spec(), buffer)
        } else if let Some(step) = node.downcast_ref::<WriteStep>() {
            write(WRITE_STEP, step.target(), buffer)
        } else {
            self.0.try_encode(extension, buffer)
        }
    }

    fn try_decode_table_provider(
        &self,
        buffer: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match marked(buffer) {
            None => self
                .0
                .try_decode_table_provider(buffer, name, schema, context),
            Some((DUMP, body)) => Ok(Arc::new(DumpTable::from_bytes(body)?)),
            Some((WORD_VECTORS, body)) => Ok(Arc::new(WordVectorTable::from_bytes(body)?)),
            Some((RECORDS, body)) => Ok(Arc::new(RecordTable::from_bytes(body)?)),
            Some((NUMBERED_PARQUET, body)) => Ok(Arc::new(NumberedParquet::from_bytes(body)?)),
            Some((MEMORY, body)) => read_memory(body),
            Some((other, _)) => unknown(other),
        }
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        let any = table.as_ref() as &dyn Any;
        if let Some(table) = any.downcast_ref::<DumpTable>() {
            write_wire(DUMP, table, buffer)
        } else if let Some(table) = any.downcast_ref::<WordVectorTable>() {
            write_wire(WORD_VECTORS, table, buffer)
        } else if let Some(table) = any.downcast_ref::<RecordTable>() {
            write_wire(RECORDS, table, buffer)
        } else if let Some(table) = any.downcast_ref::<NumberedParquet>() {
            write_wire(NUMBERED_PARQUET, table, buffer)
        } else if any.is::<MemTable>() {
            mark(MEMORY, buffer);
            write_memory(name, &table, buffer)
        } else {
            self.0.try_encode_table_provider(name, table, buffer)
        }
    }

    fn try_decode_file_format(
        &self,
        buffer: &[u8],
        context: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        match marked(buffer) {
            None => self.0.try_decode_file_format(buffer, context),
            Some((WRITTEN, body)) => Ok(Arc::new(read::<CopyFormat>(body)?)),
            Some((other, _)) => unknown(other),
        }
    }

    fn try_encode_file_format(
        &self,
        buffer: &mut Vec<u8>,
        format: Arc<dyn FileFormatFactory>,
    ) -> Result<()> {
        match format.downcast_ref::<CopyFormat>() {
            Some(written) => write(WRITTEN, written, buffer),
            None => self.0.try_encode_file_format(buffer, format),
        }
    }

    fn try_decode_udf(&self, name: &str, buffer: &[u8]) -> Result<Arc<ScalarUDF>> {
        scalar_function(name).map_or_else(|| self.0.try_decode_udf(name, buffer), Ok)
    }

    fn try_decode_udaf(&self, name: &str, buffer: &[u8]) -> Result<Arc<AggregateUDF>> {
        aggregate_function(name).map_or_else(|| self.0.try_decode_udaf(name, buffer), Ok)
    }

    fn try_decode_udwf(&self, name: &str, buffer: &[u8]) -> Result<Arc<WindowUDF>> {
        window_function(name).map_or_else(|| self.0.try_decode_udwf(name, buffer), Ok)
    }
}

/// Physical plans.
#[derive(Debug, Default)]
pub(super) struct PhysicalCodec(BallistaPhysicalExtensionCodec);

impl PhysicalExtensionCodec for PhysicalCodec {
    fn try_decode(
        &self,
        buffer: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some((kind, body)) = marked(buffer) else {
            return self.0.try_decode(buffer, inputs, context, converter);
        };
        match kind {
            SIMILAR_PAIRS => {
                let PairsParts { spec, spools } = read(body)?;
                let exec = SimilarPairsExec::with_spool(only(inputs.to_vec())?, spec, spools)?;
                Ok(Arc::new(exec))
            }
            WRITE_STEP => {
                let StepParts { target, order } = read(body)?;
                let exec = WriteStepExec::with_order(only(inputs.to_vec())?, target, order);
                Ok(Arc::new(exec))
            }
            WHOLE_FILES => Ok(Arc::new(WholeFilesExec::new(only(inputs.to_vec())?))),
            KEYED => self.read_keyed(body, only(inputs.to_vec())?, context, converter),
            OUTER_JOIN => {
                let node = PhysicalPlanNode::decode(body)
                    .map_err(|error| DataFusionError::External(error.into()))?;
                let join = node.try_into_physical_plan(context, self)?;
                let join = OuterJoinExec::of(&join)?.ok_or_else(|| {
                    internal_datafusion_err!("received a plan with an invalid outer join")
                })?;
                Ok(Arc::new(join.over(inputs.to_vec())?))
            }
            DUMP => self.read_scan::<DumpSource>(body, context, converter),
            WORD_VECTORS => self.read_scan::<WordVectorSource>(body, context, converter),
            RECORDS => self.read_scan::<RecordSource>(body, context, converter),
            NUMBERED_PARQUET => self.read_scan::<NumberedParquetSource>(body, context, converter),
            other => unknown(other),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buffer: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if let Some(pairs) = node.downcast_ref::<SimilarPairsExec>() {
            let parts = PairsParts {
                spec: pairs.spec().clone(),
                spools: pairs.spools(),
            };
            return write(SIMILAR_PAIRS, &parts, buffer);
        }
        if let Some(step) = node.downcast_ref::<WriteStepExec>() {
            let parts = StepParts {
                target: step.target().clone(),
                order: step.order().to_vec(),
            };
            return write(WRITE_STEP, &parts, buffer);
        }
        if node.is::<WholeFilesExec>() {
            mark(WHOLE_FILES, buffer);
            return Ok(());
        }
        if let Some(keyed) = node.downcast_ref::<KeyedExec>() {
            return self.write_keyed(keyed.spec(), buffer, converter);
        }
        if let Some(join) = node.downcast_ref::<OuterJoinExec>() {
            let node = PhysicalPlanNode::try_from_physical_plan(join.without_inputs()?, self)?;
            mark(OUTER_JOIN, buffer);
            buffer.extend(node.encode_to_vec());
            return Ok(());
        }
        let is_scan = self.write_scan::<DumpSource>(DUMP, &node, buffer, converter)?
            || self.write_scan::<WordVectorSource>(WORD_VECTORS, &node, buffer, converter)?
            || self.write_scan::<RecordSource>(RECORDS, &node, buffer, converter)?
            || self.write_scan::<NumberedParquetSource>(
                NUMBERED_PARQUET,
                &node,
                buffer,
                converter,
            )?;
        match is_scan {
            true => Ok(()),
            false => self.0.try_encode(node, buffer, converter),
        }
    }

    fn try_decode_udf(&self, name: &str, buffer: &[u8]) -> Result<Arc<ScalarUDF>> {
        scalar_function(name).map_or_else(|| self.0.try_decode_udf(name, buffer), Ok)
    }

    fn try_decode_udaf(&self, name: &str, buffer: &[u8]) -> Result<Arc<AggregateUDF>> {
        aggregate_function(name).map_or_else(|| self.0.try_decode_udaf(name, buffer), Ok)
    }

    fn try_decode_udwf(&self, name: &str, buffer: &[u8]) -> Result<Arc<WindowUDF>> {
        window_function(name).map_or_else(|| self.0.try_decode_udwf(name, buffer), Ok)
    }
}

impl PhysicalCodec {
    fn write_keyed(
        &self,
        spec: &KeyedSpec,
        buffer: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let encode = |key: &Arc<dyn PhysicalExpr>| {
            Ok(converter.physical_expr_to_proto(key, self)?.encode_to_vec())
        };
        let keys = spec.keys.as_ref();
        let parts = KeyedParts {
            keys: keys
                .map(|keys| keys.iter().map(encode).collect::<Result<_>>())
                .transpose()?,
            declared: spec.declared,
            no_rows: spec.no_rows,
            in_turn: spec.in_turn,
        };
        write(KEYED, &parts, buffer)
    }

    fn read_keyed(
        &self,
        body: &[u8],
        input: Arc<dyn ExecutionPlan>,
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let parts: KeyedParts = read(body)?;
        let (schema, context) = (
            input.schema(),
            PhysicalPlanDecodeContext::new(context, self),
        );
        let decode = |key: Vec<u8>| {
            let key = PhysicalExprNode::decode(key.as_slice())
                .map_err(|error| DataFusionError::External(error.into()))?;
            converter.proto_to_physical_expr(&key, &schema, &context)
        };
        let keys = parts.keys;
        let spec = KeyedSpec {
            keys: keys
                .map(|keys| keys.into_iter().map(decode).collect::<Result<_>>())
                .transpose()?,
            declared: parts.declared,
            no_rows: parts.no_rows,
            in_turn: parts.in_turn,
        };
        Ok(Arc::new(KeyedExec::new(input, spec)))
    }

    /// Writes the plan if it is a scan by a source of type `S`: the source with its length in front, then its file
    /// scan.
    fn write_scan<S: FileSource + Wire>(
        &self,
        kind: u8,
        plan: &Arc<dyn ExecutionPlan>,
        buffer: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<bool> {
        let Some((config, source)) = file_scan::<S>(plan) else {
            return Ok(false);
        };
        let source = source.to_bytes()?;
        mark(kind, buffer);
        buffer.extend((source.len() as u32).to_le_bytes());
        buffer.extend(source);
        buffer.extend(serialize_file_scan_config(config, self, converter)?.encode_to_vec());
        Ok(true)
    }

    fn read_scan<S: FileSource + Wire>(
        &self,
        body: &[u8],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (source, scan) = split(body)?;
        let scan = FileScanExecConf::decode(scan)
            .map_err(|error| DataFusionError::External(error.into()))?;
        let config = parse_protobuf_file_scan_config(
            &scan,
            &PhysicalPlanDecodeContext::new(context, self),
            converter,
            Arc::new(S::from_bytes(source)?),
        )?;
        Ok(DataSourceExec::from_data_source(config))
    }
}

/// The batches of each partition of a table in memory.
pub(super) fn batches(name: &str, table: &Arc<dyn TableProvider>) -> Result<Vec<Vec<RecordBatch>>> {
    let Some(memory) = (table.as_ref() as &dyn Any).downcast_ref::<MemTable>() else {
        return internal_err!("table {name} is not in memory");
    };
    let partitions = memory
        .batches
        .iter()
        .map(|partition| match partition.try_read() {
            Ok(batches) => Ok(batches.clone()),
            Err(_) => exec_err!("table {name} is being written to"),
        });
    partitions.collect()
}

/// Size of a table in memory in bytes.
pub(super) fn bytes(name: &str, table: &Arc<dyn TableProvider>) -> Result<usize> {
    let batches = batches(name, table)?;
    Ok(batches
        .iter()
        .flatten()
        .map(RecordBatch::get_array_memory_size)
        .sum())
}

/// Writes a table in memory: the number of batches of each partition as JSON with its length in front, then the
/// batches as an Arrow IPC stream.
fn write_memory(
    name: &TableReference,
    table: &Arc<dyn TableProvider>,
    buffer: &mut Vec<u8>,
) -> Result<()> {
    let partitions = batches(&name.to_string(), table)?;
    let counts: Vec<usize> = partitions.iter().map(Vec::len).collect();
    let counts =
        serde_json::to_vec(&counts).map_err(|error| DataFusionError::External(error.into()))?;
    buffer.extend((counts.len() as u32).to_le_bytes());
    buffer.extend(counts);
    let mut writer = StreamWriter::try_new(buffer, &table.schema())?;
    for batch in partitions.iter().flatten() {
        writer.write(batch)?;
    }
    Ok(writer.finish()?)
}

fn read_memory(body: &[u8]) -> Result<Arc<dyn TableProvider>> {
    let (counts, body) = split(body)?;
    let counts: Vec<usize> = read(counts)?;
    let mut reader = StreamReader::try_new(body, None)?;
    let schema = reader.schema();
    let partitions = counts
        .into_iter()
        .map(|count| Ok(reader.by_ref().take(count).collect::<Result<Vec<_>, _>>()?))
        .collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(MemTable::try_new(schema, partitions)?))
}

/// Splits bytes into a part, whose length is in the first four bytes (little-endian), and the rest.
fn split(body: &[u8]) -> Result<(&[u8], &[u8])> {
    let split = body
        .split_first_chunk::<4>()
        .and_then(|(length, rest)| rest.split_at_checked(u32::from_le_bytes(*length) as usize));
    split.ok_or_else(|| internal_datafusion_err!("received a truncated plan"))
}
