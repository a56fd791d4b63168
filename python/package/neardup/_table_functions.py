"""The table functions as methods of a session.

Written from the headers of the SQL files; the test reference::python compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ._result import Result
    from ._session import Data


class TableFunctions:
    """One method for each table function of SQL."""

    def _call(
        self,
        function: str,
        relations: Sequence[Data | None],
        columns: Sequence[str],
        **arguments: object,
    ) -> Result:
        raise NotImplementedError

    def bm25_vectors(
        self,
        counts: Data,
        frequencies: Data,
        *,
        id: str | None = None,
        term: str | None = None,
        tf: str | None = None,
        df: str | None = None,
        k1: float | None = None,
        b: float | None = None,
    ) -> Result:
        """A vector of term weights for each document, by Okapi BM25: weight = idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / mean length)), where idf = ln(1 + (N − df + ½) / (df + ½)), length is the sum of tf over a document, and N and the mean length are those of the documents in counts.

Counts and frequencies are of one collection and in one language, both as they were counted or both translated.

        Args:
            counts: A relation: id, term, tf.
            frequencies: A relation: term, df.
            id: A column: the id of a document; default id.
            term: A column: a term, in both relations; default term.
            tf: A column: how often it stands in the document; fractions too; default tf.
            df: A column: in how many documents it stands; fractions too; default df.
            k1: A number in [0, 1000]: how slowly a weight saturates as a term repeats; default 1.2.
            b: A number in [0, 1]: how much a long document's weights are lowered: 0 not at all;
                default 0.75.

        Returns:
            id (as id): the id of a document.
            vector (List(Struct("term": Utf8, "weight": Float64))): the terms of the document with
                their weights, sorted by term.

        Note:
            A document and a term that stand twice in counts add up, as does a term that stands
                twice in frequencies.
            A term without a frequency stands in no document, one with more than N in N: weights are
                above 0.
            Rows with NULL take no part, nor do counts of 0.
            Sums are of numbers with 15 decimal places, so that they do not depend on the order of
                rows.
        """
        return self._call(
            "bm25_vectors",
            [counts, frequencies],
            ["id", "term", "tf", "df"],
            id=id,
            term=term,
            tf=tf,
            df=df,
            k1=k1,
            b=b,
        )

    def components(
        self,
        data: Data,
        *,
        id_a: str | None = None,
        id_b: str | None = None,
    ) -> Result:
        """Connected components of a relation of pairs.

        Args:
            data: A relation: id_a, id_b.
            id_a: A column: one end of a pair; default id_a.
            id_b: A column: the other end; default id_b.

        Returns:
            id (as id): an id that stands in a pair.
            cluster_id (as id): the smallest id of its component.
            cluster_size (Int64): members of the component.

        Note:
            Partial results are spanning forests: partitions reduce before they meet.
        """
        return self._call(
            "components",
            [data],
            ["id_a", "id_b"],
            id_a=id_a,
            id_b=id_b,
        )

    def cosine_join(
        self,
        data: Data,
        data_b: Data | None = None,
        *,
        id: str | None = None,
        vector: str | None = None,
        id_b: str | None = None,
        vector_b: str | None = None,
        threshold: float | None = None,
        across: str | None = None,
        parts: int | None = None,
    ) -> Result:
        """Every pair of rows whose vectors have at least the given cosine: all pairs are compared.

        With two relations, every such pair of a row of the first with a row of the second.

        Args:
            data: A relation: id, vector.
            data_b: A relation: id, vector.
            id: A column: the id column: integers or texts; default id.
            vector: A column: the column of vectors: lists of numbers of one length, or lists of
                (term, weight); default vector.
            id_b: A column: the id column of the second relation; default as id.
            vector_b: A column: the column of vectors of the second relation; default as vector.
            threshold: A number in (0, 1]: least cosine of a pair; default 0.8.
            across: A column: only pairs whose values in this column differ; rows with NULL there
                take no part.
            parts: A whole number in [1, 65536]: parts of the work; more parts hold less in memory
                at a time and do more work; default 1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            similarity (Float64): the cosine.

        Note:
            Complete: recall 1 and precision 1, in double precision.
            Vectors that are zero or empty pair with nothing.
            Each unordered pair once, id_a < id_b; never a row with itself. NULL takes no part.
            The same id twice with the same vector is one row; with another one it is an error that
                names the id.
            The same rows whatever the number of partitions, parts or chunks.
        """
        return self._call(
            "cosine_join",
            [data, data_b],
            ["id", "vector", "id_b", "vector_b", "across"],
            id=id,
            vector=vector,
            id_b=id_b,
            vector_b=vector_b,
            threshold=threshold,
            across=across,
            parts=parts,
        )

    def deduplicate(
        self,
        data: Data,
        *,
        id: str | None = None,
        text: str | None = None,
        vector: str | None = None,
        threshold: float | None = None,
        shingle: str | None = None,
        normalize: bool | None = None,
        method: Literal["exact", "minhash", "projection"] | None = None,
        resolution: Literal["representative", "components"] | None = None,
        keep: Literal["first", "longest"] | None = None,
        keep_by: str | None = None,
        target_recall: float | None = None,
        num_hashes: int | None = None,
        bits: int | None = None,
        seed: int | None = None,
        bucket_pairs: int | None = None,
        parts: int | None = None,
    ) -> Result:
        """The input's rows without near-duplicates: those that near_duplicates keeps.

        Args:
            data: A relation: any columns, with an id and a text.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; not read with 'projection', unless keep is 'longest';
                default text.
            vector: A column: with 'projection': the column of vectors, whose cosine is the
                similarity; default vector.
            threshold: A number in (0, 1]: least similarity of a pair; default 0.8.
            shingle: A shingle such as 'word:3': what a text is cut into: 'char:n', 'word:n' or
                'space:n'; default 'word:3'.
            normalize: True or false: NFKC, lower case, white space runs to one space, trimmed;
                default true.
            method: One of exact, minhash, projection: how pairs are found: the exact join, MinHash
                at a target recall, or random projection of vectors at a target recall; default
                'exact'.
            resolution: One of representative, components: 'representative': a row is removed if it
                is similar to a kept row; 'components': one row of each connected component is kept;
                default 'representative'.
            keep: One of first, longest: which row is kept: the smallest id, or the most characters;
                default 'first'.
            keep_by: A text: which row is kept, instead of keep: 'column' or 'column desc', then the
                smallest id.
            target_recall: A number in (0, 1): with 'minhash' and 'projection': share of the pairs
                at the threshold that are found; default 0.99.
            num_hashes: A whole number in [1, 4096]: with 'minhash': hash functions that a signature
                may use; default 128.
            bits: A whole number in [1, 4096]: with 'projection': bits of a signature; default 1024.
            seed: A whole number in [0, 9007199254740992]: with 'minhash' and 'projection': seed of
                signatures; default 1.
            bucket_pairs: A whole number in [1, 4000000000]: a bucket of more distinct texts than
                this is oversized: its rows are verified against a few of them, its pivots, only; a
                vector is paired with its first so many similar predecessors, at most 256; default
                10000.
            parts: A whole number in [1, 65536]: parts of the key space; more parts hold less in
                memory at a time and do more work; default 1.

        Returns:
            as input (as input): the columns of the input.

        Note:
            Every row left out is verified similar to one that stays (with resolution
                'representative').
            Two rows that stay may be similar in oversized buckets only, and as near_duplicates
                says.
            Rows of one id are one row, of which the first stays: one with a text, then in keep
                order, then in the order of the columns from left to right, NULL last. Another text
                is an error that names the id.
            Rows without an id all stay.
        """
        return self._call(
            "deduplicate",
            [data],
            ["id", "text", "vector"],
            id=id,
            text=text,
            vector=vector,
            threshold=threshold,
            shingle=shingle,
            normalize=normalize,
            method=method,
            resolution=resolution,
            keep=keep,
            keep_by=keep_by,
            target_recall=target_recall,
            num_hashes=num_hashes,
            bits=bits,
            seed=seed,
            bucket_pairs=bucket_pairs,
            parts=parts,
        )

    def document_frequencies(
        self,
        counts: Data,
        *,
        id: str | None = None,
        term: str | None = None,
    ) -> Result:
        """In how many documents of a collection each term stands.

        Args:
            counts: A relation: id, term.
            id: A column: the id of a document; default id.
            term: A column: a term of it; default term.

        Returns:
            term (text): the term.
            df (Int64): distinct documents with it.

        Note:
            A term is one row. Rows of which id or term is NULL do not count.
        """
        return self._call(
            "document_frequencies",
            [counts],
            ["id", "term"],
            id=id,
            term=term,
        )

    def hamming_join(
        self,
        data: Data,
        data_b: Data | None = None,
        *,
        id: str | None = None,
        signature_column: str | None = None,
        id_b: str | None = None,
        signature_column_b: str | None = None,
        max_distance: int | None = None,
        method: Literal["exact", "bands", "window", "exhaustive"] | None = None,
        tables: int | None = None,
        key_bits: int | None = None,
        window: int | None = None,
        chunk: int | None = None,
        bits: int | None = None,
        seed: int | None = None,
        across: str | None = None,
        parts: int | None = None,
    ) -> Result:
        """Pairs of rows whose bit signatures differ in few bits.

        With two relations, pairs of a row of the first with a row of the second.

        Args:
            data: A relation: id, signature.
            data_b: A relation: id, signature.
            id: A column: the id column: integers or texts; default id.
            signature_column: A column: the column of signatures: bytes of one length; default
                signature.
            id_b: A column: the id column of the second relation; default as id.
            signature_column_b: A column: the column of signatures of the second relation; default
                as signature_column.
            max_distance: A whole number in [0, 4096]: the most bits in which the signatures of a
                pair differ; default 3.
            method: One of exact, bands, window, exhaustive: 'exhaustive': all pairs; 'exact': all
                pairs, found by the max_distance + 1 blocks of which they share one, for small
                distances; 'bands': those that agree in the key_bits bits of one of some tables;
                'window': those that are near in the sorted order of permuted bits; default 'exact'.
            tables: A whole number in [1, 4096]: with 'bands' and 'window': keys of a signature, or
                permutations; default 20.
            key_bits: A whole number in [1, 4096]: with 'bands': bits of a key; default 16.
            window: A whole number in [1, 1000000]: with 'window': rows before a row, in sorted
                order, that it is compared with; default 100.
            chunk: A whole number in [1, 1000000000]: with 'window': rows of a table that are
                compared at a time; default 65536.
            bits: A whole number in [1, 4096]: bits of a signature; default those of its bytes,
                which must be known where the method is not 'exhaustive'.
            seed: A whole number in [0, 9007199254740992]: with 'bands' and 'window': seed of the
                tables; default 1.
            across: A column: only pairs whose values in this column differ; rows with NULL there
                take no part.
            parts: A whole number in [1, 65536]: parts of the work; more parts hold less in memory
                at a time and do more work; default 1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            distance (UInt32): bits in which the signatures differ.

        Note:
            No pair above max_distance. 'exact' and 'exhaustive' are complete; lsh_plan says what
                the other methods find.
            Each unordered pair once, id_a < id_b; never a row with itself. NULL takes no part.
            The same id twice with the same signature is one row; with another one it is an error
                that names the id.
            The same rows whatever the number of partitions, parts or chunks.
        """
        return self._call(
            "hamming_join",
            [data, data_b],
            ["id", "signature_column", "id_b", "signature_column_b", "across"],
            id=id,
            signature_column=signature_column,
            id_b=id_b,
            signature_column_b=signature_column_b,
            max_distance=max_distance,
            method=method,
            tables=tables,
            key_bits=key_bits,
            window=window,
            chunk=chunk,
            bits=bits,
            seed=seed,
            across=across,
            parts=parts,
        )

    def jaccard_join(
        self,
        data: Data,
        data_b: Data | None = None,
        *,
        id: str | None = None,
        text: str | None = None,
        id_b: str | None = None,
        text_b: str | None = None,
        threshold: float | None = None,
        shingle: str | None = None,
        normalize: bool | None = None,
        copies: Literal["all", "linked"] | None = None,
        bucket_pairs: int | None = None,
        across: str | None = None,
        parts: int | None = None,
    ) -> Result:
        """Every pair of rows whose shingle sets have at least the given Jaccard similarity: exact and complete.

        With two relations, every such pair of a row of the first with a row of the second.

        Args:
            data: A relation: id, text.
            data_b: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            id_b: A column: the id column of the second relation; default as id.
            text_b: A column: the text column of the second relation; default as text.
            threshold: A number in (0, 1]: least similarity of a pair; default 0.8.
            shingle: A shingle such as 'word:3': what a text is cut into: 'char:n', 'word:n' or
                'space:n'; default 'word:3'.
            normalize: True or false: NFKC, lower case, white space runs to one space, trimmed;
                default true.
            copies: One of all, linked: 'all': every pair; 'linked': each distinct text stands for
                its copies by its smallest id, and each copy has one pair with it; default 'all'.
            bucket_pairs: A whole number in [1, 4000000000]: with linked copies: a bucket of more
                distinct texts than this is oversized, and its rows are verified against a few of
                them, its pivots, only; default 10000.
            across: A column: only pairs whose values in this column differ; rows with NULL there
                take no part; not with linked copies.
            parts: A whole number in [1, 65536]: parts of the key space; more parts hold less in
                memory at a time and do more work; default 1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            similarity (Float64): exact Jaccard similarity of the two shingle sets.

        Note:
            Complete: recall 1 and precision 1 on 64-bit hashes of shingles (with linked copies:
                below bucket_pairs).
            Each unordered pair once, id_a < id_b; never a row with itself. Empty texts pair with
                nothing; NULL takes no part.
            The same rows whatever the number of partitions or parts.
        """
        return self._call(
            "jaccard_join",
            [data, data_b],
            ["id", "text", "id_b", "text_b", "across"],
            id=id,
            text=text,
            id_b=id_b,
            text_b=text_b,
            threshold=threshold,
            shingle=shingle,
            normalize=normalize,
            copies=copies,
            bucket_pairs=bucket_pairs,
            across=across,
            parts=parts,
        )

    def lsh_plan(
        self,
        threshold: float | None = None,
        target_recall: float | None = None,
        num_hashes: int | None = None,
        method: Literal["minhash", "projection"] | None = None,
        vectors: int | None = None,
        bits: int | None = None,
    ) -> Result:
        """The bands and rows that minhash_join chooses, and what they find.

        With method 'projection' instead the settings of projection_join for a collection of so many
        vectors, by the model of Ture, Elsayed and Lin (SIGIR 2011): what each is expected to find
        and to cost, and which is recommended.

        Args:
            threshold: A number in (0, 1]: similarity at which target_recall holds; default 0.8.
            target_recall: A number in (0, 1): share of the pairs at the threshold to be found;
                default 0.99.
            num_hashes: A whole number in [1, 4096]: with 'minhash': hash functions that may be
                used; default 128.
            method: One of minhash, projection: what is planned; the columns differ; default
                'minhash'.
            vectors: A whole number in [2, 1000000000000]: with 'projection': vectors of the
                collection; default 1000000.
            bits: A whole number in [1, 4096]: with 'projection': bits of a signature; default 1024.

        Returns:
            bands (Int64): keys of a signature.
            rows (Int64): hash values of a key.
            hashes (Int64): bands times rows.
            expected_recall (Float64): probability that a pair at the threshold is found.
            similarity (Float64): 0.1 to 1.0 in steps of 0.1.
            probability (Float64): probability that a pair of that similarity becomes a candidate: 1
                - (1 - similarity^rows)^bands.

        Note:
            Ten rows, one a similarity.
            With 'projection' one row a setting: method, bits, max_distance, tables, key_bits and
                window as projection_join takes them; expected_recall, that is found (in some table)
                times kept (by the distance test), of pairs at the threshold; unrelated_kept, the
                share of pairs of cosine 0 that the distance test keeps; relative_cost, of all
                comparisons ('exhaustive' is 1); recommended, true for the cheapest setting that
                reaches target_recall.
        """
        return self._call(
            "lsh_plan",
            [],
            [],
            threshold=threshold,
            target_recall=target_recall,
            num_hashes=num_hashes,
            method=method,
            vectors=vectors,
            bits=bits,
        )

    def minhash_buckets(
        self,
        data: Data,
        *,
        id: str | None = None,
        text: str | None = None,
        threshold: float | None = None,
        shingle: str | None = None,
        normalize: bool | None = None,
        target_recall: float | None = None,
        num_hashes: int | None = None,
        bands: int | None = None,
        rows: int | None = None,
        scheme: Literal["bands", "draws"] | None = None,
        draws: int | None = None,
        draw_size: int | None = None,
        bits: int | None = None,
        seed: int | None = None,
    ) -> Result:
        """The buckets of a MinHash banding: rows that agree in a band share one.

        Args:
            data: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            threshold: A number in (0, 1]: similarity at which target_recall holds; default 0.8.
            shingle: A shingle such as 'word:3': what a text is cut into: 'char:n', 'word:n' or
                'space:n'; default 'word:3'.
            normalize: True or false: NFKC, lower case, white space runs to one space, trimmed;
                default true.
            target_recall: A number in (0, 1): share of the pairs at the threshold that the bands
                find; default 0.99.
            num_hashes: A whole number in [1, 4096]: hash functions that a signature may use;
                default 128.
            bands: A whole number in [1, 4096]: explicit number of bands; with rows, instead of
                target_recall.
            rows: A whole number in [1, 4096]: hash values a band.
            scheme: One of bands, draws: 'draws': the keys of the published systems; default
                'bands'.
            draws: A whole number in [1, 4096]: with scheme 'draws': keys of a signature; default
                10.
            draw_size: A whole number in [1, 4096]: with scheme 'draws': hash values a draw, with
                replacement; default 10.
            bits: A whole number in [1, 64]: bits of a hash value; default 32.
            seed: A whole number in [0, 9007199254740992]: seed of the hash functions; default 1.

        Returns:
            band (Int64): number of the band, from 0.
            bucket (UInt64): key of the bucket.
            id (as id): a row in it.

        Note:
            Buckets of two rows or more.
        """
        return self._call(
            "minhash_buckets",
            [data],
            ["id", "text"],
            id=id,
            text=text,
            threshold=threshold,
            shingle=shingle,
            normalize=normalize,
            target_recall=target_recall,
            num_hashes=num_hashes,
            bands=bands,
            rows=rows,
            scheme=scheme,
            draws=draws,
            draw_size=draw_size,
            bits=bits,
            seed=seed,
        )

    def minhash_join(
        self,
        data: Data,
        data_b: Data | None = None,
        *,
        id: str | None = None,
        text: str | None = None,
        id_b: str | None = None,
        text_b: str | None = None,
        threshold: float | None = None,
        shingle: str | None = None,
        normalize: bool | None = None,
        target_recall: float | None = None,
        num_hashes: int | None = None,
        bands: int | None = None,
        rows: int | None = None,
        scheme: Literal["bands", "draws"] | None = None,
        draws: int | None = None,
        draw_size: int | None = None,
        bits: int | None = None,
        seed: int | None = None,
        max_bucket: int | None = None,
        verify: Literal["exact", "edit", "estimate", "none"] | None = None,
        copies: Literal["all", "linked"] | None = None,
        bucket_pairs: int | None = None,
        across: str | None = None,
        parts: int | None = None,
    ) -> Result:
        """Pairs of rows found by MinHash signatures and verified: bands and rows are chosen for a target recall at the threshold, and what is reported is exact.

        With two relations, pairs of a row of the first with a row of the second.

        Args:
            data: A relation: id, text.
            data_b: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            id_b: A column: the id column of the second relation; default as id.
            text_b: A column: the text column of the second relation; default as text.
            threshold: A number in (0, 1]: least similarity of a pair; default 0.8.
            shingle: A shingle such as 'word:3': what a text is cut into: 'char:n', 'word:n' or
                'space:n'; default 'word:3'.
            normalize: True or false: NFKC, lower case, white space runs to one space, trimmed;
                default true.
            target_recall: A number in (0, 1): share of the pairs at the threshold that the bands
                find; default 0.99.
            num_hashes: A whole number in [1, 4096]: hash functions that a signature may use;
                default 128.
            bands: A whole number in [1, 4096]: explicit number of bands; with rows, instead of
                target_recall.
            rows: A whole number in [1, 4096]: hash values a band.
            scheme: One of bands, draws: 'draws': the keys of the published systems; default
                'bands'.
            draws: A whole number in [1, 4096]: with scheme 'draws': keys of a signature; default
                10.
            draw_size: A whole number in [1, 4096]: with scheme 'draws': hash values a draw, with
                replacement; default 10.
            bits: A whole number in [1, 64]: bits of a hash value; default 32.
            seed: A whole number in [0, 9007199254740992]: seed of the hash functions; default 1.
            max_bucket: A whole number in [0, 4000000000]: only the first rows, in id order, of a
                bucket form pairs; 0: all; default 0.
            verify: One of exact, edit, estimate, none: what similarity is: Jaccard of the shingle
                sets, edit similarity of the texts, share of equal hash values, or NULL without
                verification; default 'exact'.
            copies: One of all, linked: 'all': every pair; 'linked': each distinct text stands for
                its copies by its smallest id, and each copy has one pair with it; default 'all'.
            bucket_pairs: A whole number in [1, 4000000000]: with linked copies: a bucket of more
                distinct texts than this is oversized, and its rows are verified against a few of
                them, its pivots, only; default 10000.
            across: A column: only pairs whose values in this column differ; rows with NULL there
                take no part; not with linked copies.
            parts: A whole number in [1, 65536]: parts of the key space; more parts hold less in
                memory at a time and do more work; default 1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            similarity (Float64): as verify says; NULL where it is 'none'.

        Note:
            No pair below the threshold unless verify is 'none'.
            A pair of Jaccard similarity s is found with probability 1 - (1 - s^rows)^bands;
                lsh_plan shows it.
            Each unordered pair once, id_a < id_b; never a row with itself. Empty texts pair with
                nothing; NULL takes no part.
            The same rows whatever the number of partitions or parts.
        """
        return self._call(
            "minhash_join",
            [data, data_b],
            ["id", "text", "id_b", "text_b", "across"],
            id=id,
            text=text,
            id_b=id_b,
            text_b=text_b,
            threshold=threshold,
            shingle=shingle,
            normalize=normalize,
            target_recall=target_recall,
            num_hashes=num_hashes,
            bands=bands,
            rows=rows,
            scheme=scheme,
            draws=draws,
            draw_size=draw_size,
            bits=bits,
            seed=seed,
            max_bucket=max_bucket,
            verify=verify,
            copies=copies,
            bucket_pairs=bucket_pairs,
            across=across,
            parts=parts,
        )

    def near_duplicates(
        self,
        data: Data,
        *,
        id: str | None = None,
        text: str | None = None,
        vector: str | None = None,
        threshold: float | None = None,
        shingle: str | None = None,
        normalize: bool | None = None,
        method: Literal["exact", "minhash", "projection"] | None = None,
        resolution: Literal["representative", "components"] | None = None,
        keep: Literal["first", "longest"] | None = None,
        keep_by: str | None = None,
        target_recall: float | None = None,
        num_hashes: int | None = None,
        bits: int | None = None,
        seed: int | None = None,
        bucket_pairs: int | None = None,
        parts: int | None = None,
    ) -> Result:
        """Which rows are near-duplicates of which, and which one of them to keep: one row for every input row.

        Args:
            data: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; not read with 'projection', unless keep is 'longest';
                default text.
            vector: A column: with 'projection': the column of vectors, whose cosine is the
                similarity; default vector.
            threshold: A number in (0, 1]: least similarity of a pair; default 0.8.
            shingle: A shingle such as 'word:3': what a text is cut into: 'char:n', 'word:n' or
                'space:n'; default 'word:3'.
            normalize: True or false: NFKC, lower case, white space runs to one space, trimmed;
                default true.
            method: One of exact, minhash, projection: how pairs are found: the exact join, MinHash
                at a target recall, or random projection of vectors at a target recall; default
                'exact'.
            resolution: One of representative, components: 'representative': a row is removed if it
                is similar to a kept row; 'components': one row of each connected component is kept;
                default 'representative'.
            keep: One of first, longest: which row is kept: the smallest id, or the most characters;
                default 'first'.
            keep_by: A text: which row is kept, instead of keep: 'column' or 'column desc', then the
                smallest id.
            target_recall: A number in (0, 1): with 'minhash' and 'projection': share of the pairs
                at the threshold that are found; default 0.99.
            num_hashes: A whole number in [1, 4096]: with 'minhash': hash functions that a signature
                may use; default 128.
            bits: A whole number in [1, 4096]: with 'projection': bits of a signature; default 1024.
            seed: A whole number in [0, 9007199254740992]: with 'minhash' and 'projection': seed of
                signatures; default 1.
            bucket_pairs: A whole number in [1, 4000000000]: a bucket of more distinct texts than
                this is oversized: its rows are verified against a few of them, its pivots, only; a
                vector is paired with its first so many similar predecessors, at most 256; default
                10000.
            parts: A whole number in [1, 65536]: parts of the key space; more parts hold less in
                memory at a time and do more work; default 1.

        Returns:
            id (as id): the row's id.
            cluster_id (as id): the representative's id; with resolution 'components' the smallest
                id of the component.
            representative_id (as id): the kept row that stands for this one; its own id where it is
                kept.
            similarity (Float64): exact Jaccard similarity, or cosine, with the representative; NULL
                where the row is kept.
            kept (Boolean): whether the row stays.
            cluster_size (Int64): rows of the cluster.

        Note:
            Resolution 'representative': every removed row is verified similar to the kept row that
                stands for it.
            Two kept rows are not similar, but for pairs that 'minhash' or 'projection' misses and
                for oversized buckets.
            In these, two kept rows may be similar if all buckets that they share are oversized and,
                in each, the first of them in keep order is no pivot and resembles no pivot that is
                kept.
            Two kept vectors may be similar if the later has more similar predecessors than it is
                paired with, and these were all removed.
            The rows are the same for any number of parts and partitions and any order of the input.
            A row that is alone, empty or NULL is kept: a cluster of one, similarity NULL.
            The same id twice with the same text, or once without a text, is one row; with another
                text it is an error that names the id.
        """
        return self._call(
            "near_duplicates",
            [data],
            ["id", "text", "vector"],
            id=id,
            text=text,
            vector=vector,
            threshold=threshold,
            shingle=shingle,
            normalize=normalize,
            method=method,
            resolution=resolution,
            keep=keep,
            keep_by=keep_by,
            target_recall=target_recall,
            num_hashes=num_hashes,
            bits=bits,
            seed=seed,
            bucket_pairs=bucket_pairs,
            parts=parts,
        )

    def pair_quality(
        self,
        found: Data,
        truth: Data,
        *,
        id_a: str | None = None,
        id_b: str | None = None,
    ) -> Result:
        """Precision, recall and F1 of found pairs against true ones.

        Pairs are unordered and count once.

        Args:
            found: A relation: id_a, id_b.
            truth: A relation: id_a, id_b.
            id_a: A column: one end of a pair, in both relations; default id_a.
            id_b: A column: the other end; default id_b.

        Returns:
            found (Int64): distinct pairs found.
            truth (Int64): distinct true pairs.
            correct (Int64): pairs in both.
            precision (Float64): correct / found; NULL where nothing was found.
            recall (Float64): correct / truth; NULL where nothing is true.
            f1 (Float64): harmonic mean of the two.

        Note:
            One row, also for empty relations.
        """
        return self._call(
            "pair_quality",
            [found, truth],
            ["id_a", "id_b"],
            id_a=id_a,
            id_b=id_b,
        )

    def projection_join(
        self,
        data: Data,
        data_b: Data | None = None,
        *,
        id: str | None = None,
        vector: str | None = None,
        id_b: str | None = None,
        vector_b: str | None = None,
        threshold: float | None = None,
        target_recall: float | None = None,
        bits: int | None = None,
        max_distance: int | None = None,
        verify: Literal["exact", "estimate"] | None = None,
        method: Literal["exhaustive", "bands", "window"] | None = None,
        tables: int | None = None,
        key_bits: int | None = None,
        window: int | None = None,
        chunk: int | None = None,
        seed: int | None = None,
        across: str | None = None,
        parts: int | None = None,
    ) -> Result:
        """Pairs of rows whose vectors have at least the given cosine, found by bit signatures of random projection and verified: signatures may differ in so many bits that target_recall of the pairs at the threshold stay, and the exact cosine decides.

        With two relations, pairs of a row of the first with a row of the second.

        Args:
            data: A relation: id, vector.
            data_b: A relation: id, vector.
            id: A column: the id column: integers or texts; default id.
            vector: A column: the column of vectors: lists of numbers of one length, or lists of
                (term, weight); default vector.
            id_b: A column: the id column of the second relation; default as id.
            vector_b: A column: the column of vectors of the second relation; default as vector.
            threshold: A number in (0, 1]: least cosine of a pair; default 0.8.
            target_recall: A number in (0, 1): share of the pairs at the threshold to be found; with
                'window' the share that the distance test keeps; default 0.99.
            bits: A whole number in [1, 4096]: bits of a signature; default 1024.
            max_distance: A whole number in [0, 4096]: the most bits in which signatures differ;
                default the least that keeps target_recall.
            verify: One of exact, estimate: what similarity is: the exact cosine, at least the
                threshold, or the estimate of the signatures, which may be below it; default
                'exact'.
            method: One of exhaustive, bands, window: 'exhaustive': all signatures with all others;
                'bands': those that agree in the key_bits bits of one of some tables; 'window':
                those that are near in the sorted order of permuted bits; default 'exhaustive'.
            tables: A whole number in [1, 4096]: with 'bands' and 'window': keys of a signature, or
                permutations; default for the target recall, or 20 permutations.
            key_bits: A whole number in [1, 4096]: with 'bands': bits of a key; default for the
                target recall.
            window: A whole number in [1, 1000000]: with 'window': rows before a row, in sorted
                order, that it is compared with; default 100.
            chunk: A whole number in [1, 1000000000]: with 'window': rows of a table that are
                compared at a time; default 65536.
            seed: A whole number in [0, 9007199254740992]: seed of the hyperplanes and tables;
                default 1.
            across: A column: only pairs whose values in this column differ; rows with NULL there
                take no part.
            parts: A whole number in [1, 65536]: parts of the work; more parts hold less in memory
                at a time and do more work; default 1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            similarity (Float64): the cosine, as verify says.

        Note:
            No pair below the threshold unless verify is 'estimate'.
            A pair at the threshold is found with probability target_recall at least ('exhaustive',
                'bands'); lsh_plan shows what methods find and cost.
            Vectors that are zero or empty pair with nothing.
            Each unordered pair once, id_a < id_b; never a row with itself. NULL takes no part.
            The same id twice with the same vector is one row; with another one it is an error that
                names the id.
            The same rows whatever the number of partitions, parts or chunks.
        """
        return self._call(
            "projection_join",
            [data, data_b],
            ["id", "vector", "id_b", "vector_b", "across"],
            id=id,
            vector=vector,
            id_b=id_b,
            vector_b=vector_b,
            threshold=threshold,
            target_recall=target_recall,
            bits=bits,
            max_distance=max_distance,
            verify=verify,
            method=method,
            tables=tables,
            key_bits=key_bits,
            window=window,
            chunk=chunk,
            seed=seed,
            across=across,
            parts=parts,
        )

    def sentence_vector(
        self,
        documents: Data,
        vectors: Data,
        *,
        id: str | None = None,
        text: str | None = None,
        word: str | None = None,
        vector: str | None = None,
        language: str | None = None,
        language_column: str | None = None,
        stop_words: bool | None = None,
        stem: bool | None = None,
    ) -> Result:
        """The mean of the vectors of a text's words: one vector a text, such as a sentence.

A text is cut into terms (lower case, without stop words unless asked for), and each term that is a word of the second relation counts with its vector as often as it stands in the text.

        Args:
            documents: A relation: id, text, language.
            vectors: A relation: word, vector.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            word: A column: the column of words of the second relation; default word.
            vector: A column: its column of vectors: lists of numbers; default vector.
            language: A text: language code for stop words and stemming; default 'en'.
            language_column: A column: a column that holds each text's language code, instead of
                language.
            stop_words: True or false: leave stop words out; default true.
            stem: True or false: reduce terms to their stems; the words of the second relation must
                be stems then; default false.

        Returns:
            id (as id): the id.
            vector (as vector): the mean, of Float32 where the vectors are, else of Float64; NULL
                where no word was found.
            words (Int64): how many words were found, each as often as it stands.

        Note:
            One row for each id, also where the text is NULL or no word of it has a vector: then
                words = 0.
            The same id twice with the same text is one row; with another text it is an error that
                names the id. Rows without an id are left out.
            A word that stands twice in the second relation counts once, with the smaller of its
                vectors, compared number by number.
            The mean is exact, rounded once (see mean_vector): the same for any number of
                partitions.
            Vectors of two lengths, and numbers that are NULL or not finite, are an error where a
                text has a word of them.
        """
        return self._call(
            "sentence_vector",
            [documents, vectors],
            ["id", "text", "word", "vector", "language_column"],
            id=id,
            text=text,
            word=word,
            vector=vector,
            language=language,
            language_column=language_column,
            stop_words=stop_words,
            stem=stem,
        )

    def sentences(
        self,
        data: Data,
        *,
        id: str | None = None,
        text: str | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        window: int | None = None,
        language: str | None = None,
        language_column: str | None = None,
        splitter: Literal["default", "published"] | None = None,
        carry: Sequence[str] | None = None,
    ) -> Result:
        """The sentences of texts, a row a sentence, with their places in the text.

        Args:
            data: A relation: id, text, language, carried.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            min_length: A whole number in [0, 4000000000]: least length of a sentence in characters;
                default 0.
            max_length: A whole number in [0, 4000000000]: greatest length in characters; 0: no
                bound; default 0.
            window: A whole number in [1, 1000]: sentences a row: every run of that many consecutive
                ones; default 1.
            language: A text: language code for abbreviations and marks; default 'en'.
            language_column: A column: a column that holds each text's language code, instead of
                language.
            splitter: One of default, published: 'published': the expression of the published
                systems; default 'default'.
            carry: A list of columns, as in [a, b]: columns of the input that each sentence keeps.

        Returns:
            sentence_id (Int64): the id shifted left by 20 bits, plus sentence_no.
            id (as id): the id column, under its own name.
            carry (as input): the carried columns, under their own names.
            sentence_no (Int32): number of the sentence in its text, from 0, counting those left out
                too.
            start_byte (Int64): first byte in the text.
            end_byte (Int64): byte after the last.
            sentence (text): the sentence.

        Note:
            sentence = the bytes of the text from start_byte to end_byte.
            Ids must be integers from 0 to below 2^43, and a text may hold 2^20 sentences: more is
                an error.
        """
        return self._call(
            "sentences",
            [data],
            ["id", "text", "language_column"],
            id=id,
            text=text,
            min_length=min_length,
            max_length=max_length,
            window=window,
            language=language,
            language_column=language_column,
            splitter=splitter,
            carry=carry,
        )

    def simhash_join(
        self,
        data: Data,
        data_b: Data | None = None,
        *,
        id: str | None = None,
        text: str | None = None,
        id_b: str | None = None,
        text_b: str | None = None,
        shingle: str | None = None,
        normalize: bool | None = None,
        bits: int | None = None,
        max_distance: int | None = None,
        method: Literal["exact", "bands", "window", "exhaustive"] | None = None,
        tables: int | None = None,
        key_bits: int | None = None,
        window: int | None = None,
        chunk: int | None = None,
        seed: int | None = None,
        across: str | None = None,
        parts: int | None = None,
    ) -> Result:
        """Pairs of rows whose texts have SimHashes that differ in few bits: what is reported is near in angle of the weighted shingles, which is not the same as a Jaccard similarity; minhash_join and jaccard_join verify one.

        With two relations, pairs of a row of the first with a row of the second.

        Args:
            data: A relation: id, text.
            data_b: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            id_b: A column: the id column of the second relation; default as id.
            text_b: A column: the text column of the second relation; default as text.
            shingle: A shingle such as 'word:3': what a text is cut into: 'char:n', 'word:n' or
                'space:n'; default 'word:3'.
            normalize: True or false: NFKC, lower case, white space runs to one space, trimmed;
                default true.
            bits: A whole number in [64, 128]: bits of a SimHash: 64 or 128; default 64.
            max_distance: A whole number in [0, 128]: the most bits in which the SimHashes of a pair
                differ; default 3.
            method: One of exact, bands, window, exhaustive: 'exhaustive': all pairs; 'exact': all
                pairs, found by the max_distance + 1 blocks of which they share one, for small
                distances; 'bands': those that agree in the key_bits bits of one of some tables;
                'window': those that are near in the sorted order of permuted bits; default 'exact'.
            tables: A whole number in [1, 4096]: with 'bands' and 'window': keys of a signature, or
                permutations; default 20.
            key_bits: A whole number in [1, 4096]: with 'bands': bits of a key; default 16.
            window: A whole number in [1, 1000000]: with 'window': rows before a row, in sorted
                order, that it is compared with; default 100.
            chunk: A whole number in [1, 1000000000]: with 'window': rows of a table that are
                compared at a time; default 65536.
            seed: A whole number in [0, 9007199254740992]: with 'bands' and 'window': seed of the
                tables; default 1.
            across: A column: only pairs whose values in this column differ; rows with NULL there
                take no part.
            parts: A whole number in [1, 65536]: parts of the work; more parts hold less in memory
                at a time and do more work; default 1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            distance (UInt32): bits in which the SimHashes differ.

        Note:
            No pair above max_distance. 'exact' and 'exhaustive' find every pair within it.
            Empty texts pair with nothing.
            Each unordered pair once, id_a < id_b; never a row with itself. NULL takes no part.
            The same id twice with the same text is one row; with another one it is an error that
                names the id.
            The same rows whatever the number of partitions, parts or chunks.
        """
        return self._call(
            "simhash_join",
            [data, data_b],
            ["id", "text", "id_b", "text_b", "across"],
            id=id,
            text=text,
            id_b=id_b,
            text_b=text_b,
            shingle=shingle,
            normalize=normalize,
            bits=bits,
            max_distance=max_distance,
            method=method,
            tables=tables,
            key_bits=key_bits,
            window=window,
            chunk=chunk,
            seed=seed,
            across=across,
            parts=parts,
        )

    def term_counts(
        self,
        data: Data,
        *,
        id: str | None = None,
        text: str | None = None,
        language: str | None = None,
        language_column: str | None = None,
        stop_words: bool | None = None,
        stem: bool | None = None,
        min_count: int | None = None,
        min_terms: int | None = None,
    ) -> Result:
        """How often each term stands in each text: the words that mean something, stemmed.

        What the vectors of bm25_vectors are made of.
        Texts of several languages are several collections: with language_column a text is cut by
        the rules of its language, and terms are counted by language. The functions that come next
        take one collection: `(SELECT id, term, tf FROM counts WHERE language = 'de')`.

        Args:
            data: A relation: id, text, language.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            language: A text: language code of the texts, as of the function terms; default 'en'.
            language_column: A column: a column that holds each text's language code, instead of
                language, which stands for NULL there.
            stop_words: True or false: leave stop words out; default true.
            stem: True or false: stem words; default true.
            min_count: A whole number in [1, 4000000000]: a term that stands fewer times in its
                language is left out; default 2.
            min_terms: A whole number in [0, 4000000000]: then a text with fewer terms, counting
                repeats, is left out; default 5.

        Returns:
            id (as id): the id of a text.
            term (text): a term of it.
            tf (Int64): how often it stands there.
            language (text): the language code of the text, as given.

        Note:
            A text and a term are one row. A text without id, or NULL, has none.
            The same id twice in a language with the same text is one text; with another text it is
                an error that names the id.
        """
        return self._call(
            "term_counts",
            [data],
            ["id", "text", "language_column"],
            id=id,
            text=text,
            language=language,
            language_column=language_column,
            stop_words=stop_words,
            stem=stem,
            min_count=min_count,
            min_terms=min_terms,
        )

    def translate_terms(
        self,
        counts: Data,
        translations: Data,
        *,
        id: str | None = None,
        term: str | None = None,
        tf: str | None = None,
        df: str | None = None,
        source: str | None = None,
        target: str | None = None,
        probability: str | None = None,
    ) -> Result:
        """Counts or frequencies in the terms of another language, by a lexical translation table: a count is handed on to the terms that it may translate, each by its probability (tf*(e) = Σ_f p(f|e)·tf(f) and df*(e) = Σ_f p(f|e)·df(f); Ture, Elsayed and Lin, 2011).

The function goes by the columns of the first relation: one with tf gives id, term, tf; one with df gives term, df.

The table says how probable each source term is, given the target term: for German counts and an English vocabulary p(german | english), so that the probabilities of one English term sum to 1 at most.

        With a table of columns english, german and p: `translate_terms(german_counts, lexicon,
        source => german, target => english, probability => p)`.
        Of a table that knows more target terms than the collection to compare with, only those
        terms should be taken: `(SELECT german AS source, english AS target, p AS probability FROM
        lexicon WHERE english IN (SELECT term FROM english_counts))`. Terms that nothing is compared
        with make vectors long and their cosines small.
        A term that the table does not have as a source is lost. `SELECT count(*), sum(tf) FROM
        german_counts WHERE term NOT IN (SELECT german FROM lexicon WHERE german IS NOT NULL)`
        counts what is.

        Args:
            counts: A relation: id, term, tf.
            translations: A relation: source, target, probability.
            id: A column: the id of a document; default id.
            term: A column: a term of it, in the language of source; default term.
            tf: A column: how often it stands there; default tf.
            df: A column: or, without id and tf: in how many documents it stands; default df.
            source: A column: a term of the language to translate from; default source.
            target: A column: a term of the language to translate to; default target.
            probability: A column: probability of the source term, given the target term; default
                probability.

        Returns:
            id (as id): the id of a document; not where the first relation has df.
            term (text): a target term.
            tf (Float64): its expected count; df, the expected frequency, where the first relation
                has df.

        Note:
            Sums are of numbers with 15 decimal places, so that they do not depend on the order of
                rows.
            A pair of terms that stands twice counts once; with two probabilities it is an error, as
                is a probability outside [0, 1] and a target term whose probabilities sum to more
                than 1.01.
            Rows with NULL take no part, nor do counts and probabilities of 0.
        """
        return self._call(
            "translate_terms",
            [counts, translations],
            ["id", "term", "tf", "df", "source", "target", "probability"],
            id=id,
            term=term,
            tf=tf,
            df=df,
            source=source,
            target=target,
            probability=probability,
        )

    def wiki_pages(
        self,
        files: str | None = None,
        namespaces: str | float | None = None,
        redirects: bool | None = None,
        revisions: Literal["latest", "all"] | None = None,
        on_error: Literal["fail", "skip"] | None = None,
        max_page_bytes: str | float | None = None,
        language: str | None = None,
    ) -> Result:
        """The pages of MediaWiki dumps (.xml, .xml.bz2, .xml.gz; one stream, multistream, or cut anywhere), read in parallel ranges.

        The same as CREATE EXTERNAL TABLE … STORED AS WIKIDUMP.

        Args:
            files: A text: a path or glob, or several, one a line.
            namespaces: A text or a number: a namespace number, several with commas, or 'all';
                default '0'.
            redirects: True or false: whether redirects are rows; default false.
            revisions: One of latest, all: one row a page, or one row a revision; default 'latest'.
            on_error: One of fail, skip: where a dump is damaged: an error with file and offset, or
                leave out what cannot be read; default 'fail'.
            max_page_bytes: A text or a number: largest revision; a larger one is an error, or left
                out; default '64 MiB'.
            language: A text: the language of every row, instead of what the dump's header says.

        Returns:
            wiki (text): database name of the wiki, such as enwiki.
            language (text): language code.
            page_id (Int64): id of the page.
            namespace (Int32): number of the namespace; articles: 0.
            title (text): title with its namespace prefix.
            kind (text): article, redirect, disambiguation, stub or other.
            redirect (text): target of a redirect.
            revision_id (Int64): id of the revision.
            parent_id (Int64): id of the revision before it.
            timestamp (Timestamp (µs, UTC)): when it was saved.
            contributor (text): user name or address; NULL where deleted.
            model (text): content model, such as wikitext.
            wikitext (text): the source text; NULL where deleted.

        Note:
            The same rows whatever the container, the number of files' parts or partitions.
            Only the columns that are asked for are decoded; LIMIT ends the reading early.
            Dumps of two wikis in one call are an error.
        """
        return self._call(
            "wiki_pages",
            [],
            [],
            files=files,
            namespaces=namespaces,
            redirects=redirects,
            revisions=revisions,
            on_error=on_error,
            max_page_bytes=max_page_bytes,
            language=language,
        )

    def word_vectors(
        self,
        files: str | None = None,
        format: Literal["auto", "glove", "word2vec", "word2vec_binary", "fasttext"] | None = None,
        on_error: Literal["fail", "skip"] | None = None,
    ) -> Result:
        """The words of files of word vectors, a row a word: GloVe text, word2vec text or binary, fastText vectors (.vec) and models (.bin); text and binary also in gzip.

        Args:
            files: A text: a path or glob, or several, one a line.
            format: One of auto, glove, word2vec, word2vec_binary, fasttext: 'auto': recognised by
                the first bytes of each file; default 'auto'.
            on_error: One of fail, skip: where a row cannot be read (its word is not UTF-8, a number
                is missing, wrong or infinite): an error with file and place, or leave it out, with
                a warning; default 'fail'.

        Returns:
            word (text): the word, as in the file.
            vector (List of Float32): its numbers.

        Note:
            Rows are those of the files: a word that stands twice is two rows.
            All vectors of a call have the same length: files of two lengths are an error.
            In text the last numbers of a line are the vector, so that a word may hold spaces.
            A file that ends early, or has not as many words as its first line says, is an error.
            Of a fastText model, the vector of a word is the mean of its row and those of its
                character n-grams, as fastText gives it.
            A file is read by one partition, in little memory; but that a model's dictionary and
                n-gram rows are held (2.4 GB for two million of 300 numbers).
        """
        return self._call(
            "word_vectors",
            [],
            [],
            files=files,
            format=format,
            on_error=on_error,
        )
