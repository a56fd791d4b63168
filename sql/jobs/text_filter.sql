-- text_filter
--
-- Part of a step of a job under a memory limit: one row, the filter of the hashes of the texts that several rows have.
SELECT key_filter([CAST(text_hash(text) & 9223372036854775807 AS BIGINT UNSIGNED)]) AS hashes, 0 AS all_rows
FROM unique_documents
