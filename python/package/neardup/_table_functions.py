"""The table functions as methods of a session.

Written from the headers of the SQL files; the test reference::python compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ._former_names import accepts_former_names

if TYPE_CHECKING:
    from ._result import Result
    from ._session import Data


@accepts_former_names
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
        """Computes a vector of term weights for each document, by Okapi BM25: weight = idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / mean length)), where idf = ln(1 + (N − df + ½) / (df + ½)), length is the sum of tf over a document, and N and the mean length are those of the documents in counts.

        Counts and frequencies must be of the same collection and language: both as counted, or both
        translated.

        Args:
            counts: A relation: id, term, tf.
            frequencies: A relation: term, df.
            id: A column: the id of a document; default id.
            term: A column: a term, in both relations; default term.
            tf: A column: how often the term occurs in the document; may be fractional; default tf.
            df: A column: in how many documents the term occurs; may be fractional; default df.
            k1: A number in [0, 1000]: how slowly a weight saturates as a term repeats; default 1.2.
            b: A number in [0, 1]: how much the weights of long documents are lowered; 0: not at
                all; default 0.75.

        Returns:
            id (as id): the id of a document.
            vector (List(Struct("term": Utf8, "weight": Float64))): the terms of the document with
                their weights, sorted by term.

        Note:
            Several rows of a document and a term in counts are added, and so are several rows of a
                term in frequencies.
            A missing frequency counts as 0, and one above N as N, so that all weights are positive.
            Rows with NULL and counts of 0 are ignored.
            Sums are computed with 15 decimal places, so that they do not depend on the order of
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
        """Computes the connected components of a relation of pairs.

        Args:
            data: A relation: id_a, id_b.
            id_a: A column: the id of one row of a pair; default id_a.
            id_b: A column: the id of the other row of a pair; default id_b.

        Returns:
            id (as id): an id that occurs in a pair.
            cluster_id (as id): the smallest id of its component.
            cluster_size (Int64): number of ids in the component.

        Note:
            Each partition reduces its pairs to a spanning forest before the partitions are merged.
        """
        return self._call(
            "components",
            [data],
            ["id_a", "id_b"],
            id_a=id_a,
            id_b=id_b,
        )

    def containment_join(
        self,
        data: Data,
        data_b: Data | None = None,
        *,
        id: str | None = None,
        text: str | Sequence[str] | None = None,
        id_b: str | None = None,
        text_b: str | Sequence[str] | None = None,
        signature_column: str | None = None,
        signature_column_b: str | None = None,
        share_of: Literal["smaller", "a", "b"] | None = None,
        threshold: float | None = None,
        shingle: str | None = None,
        normalize: bool | None = None,
        across: str | None = None,
        within: str | Sequence[str] | None = None,
        parts: int | None = None,
    ) -> Result:
        """Finds every pair of rows of which one contains at least the given share of the other's shingles: quotations, excerpts, and texts that were extended.

        The result is exact and complete. With two relations, a pair is a row of the first and a row
        of the second.
        With signature_column, the sets are the lists of a column: of hashes or of strings, such as
        winnow, shingle_hashes and terms give.

        Args:
            data: A relation: id, text.
            data_b: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A list of columns, as in [a, b]: the text column, or several, as in [title, body],
                which are compared as one text: that of each, with blank lines between them; NULL is
                left out.
            id_b: A column: the id column of the second relation; default: that of id.
            text_b: A list of columns, as in [a, b]: the text column of the second relation, or
                several; default: those of text.
            signature_column: A column: the column of sets: lists of hashes or of strings, which are
                compared instead of shingles of texts.
            signature_column_b: A column: the column of sets of the second relation; default: that
                of signature_column.
            share_of: One of smaller, a, b: whose share is computed: 'smaller': that of the smaller
                set; 'a' and 'b': that of the row of the first or of the second relation; default
                'smaller'.
            threshold: A number in (0, 1]: minimum share of a set that the other one contains;
                default 0.8.
            shingle: A shingle such as 'word:3': how a text is split into shingles: 'char:n',
                'word:n' or 'space:n'; default 'word:3'.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.
            across: A column: only pairs whose values in this column differ; rows with NULL in it
                are in no pair.
            within: A list of columns, as in [a, b]: only pairs of rows that agree in these columns,
                as in [language, site]; rows with NULL in one of them are in no pair.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            similarity (Float64): the share: common members, divided by those of the set that
                share_of names.

        Note:
            Complete: recall 1 and precision 1 on 64-bit hashes of shingles.
            Each unordered pair is reported once, id_a < id_b; a row is never paired with itself.
                Empty texts, empty lists and rows with NULL are in no pair; NULL elements of lists
                are ignored.
            The rows do not depend on the number of partitions or parts.
        """
        return self._call(
            "containment_join",
            [data, data_b],
            ["id", "text", "id_b", "text_b", "signature_column", "signature_column_b", "across", "within"],
            id=id,
            text=text,
            id_b=id_b,
            text_b=text_b,
            signature_column=signature_column,
            signature_column_b=signature_column_b,
            share_of=share_of,
            threshold=threshold,
            shingle=shingle,
            normalize=normalize,
            across=across,
            within=within,
            parts=parts,
        )

    def contamination(
        self,
        corpus: Data,
        items: Data,
        *,
        id: str | None = None,
        text: str | None = None,
        id_b: str | None = None,
        text_b: str | None = None,
        benchmark: str | None = None,
        field: str | None = None,
        min_coverage: float | None = None,
        min_run: int | None = None,
        max_items: int | None = None,
        min_words: int | None = None,
    ) -> Result:
        """Finds the items of benchmark sets, such as questions and answers, in the texts of a corpus: word for word, with some words changed, or inside of longer texts.

        Runs of at least min_run equal words are evidence, and shorter runs beside them count, too;
        an item is found in a text if runs cover at least min_coverage of its words, so that the
        text around it does not matter. An item of fewer words than a run must occur as a whole.
        Words are compared in their normal form; the characters between them are not compared.
        One index of the n-grams of all items is given to every partition of the corpus, which is
        read once and neither sorted nor repartitioned. N-grams that occur in many items, such as
        instructions that all questions of a set begin with, are ignored (Brown et al. 2020,
        appendix C, do the same with n-grams of 13 words).
        If the items have a column benchmark or field, such as the set and the part of a question
        that a text is, the result has it, too.

        Args:
            corpus: A relation: id, text.
            items: A relation: id, text, and benchmark and field if the relation has them.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            id_b: A column: the id column of the items; default: that of id.
            text_b: A column: the text column of the items; default: that of text.
            benchmark: A column: a column of the items that is copied to the result; default:
                benchmark, if there is such a column.
            field: A column: another one; default: field, if there is such a column.
            min_coverage: A number in (0, 1]: minimum share of an item's words that runs hold;
                default 0.5.
            min_run: A whole number in [1, 64]: minimum number of words of a run that is evidence;
                an item of fewer words must be there as a whole; default 8.
            max_items: A whole number in [1, 4000000000]: n-grams of min_run words that occur in
                more distinct items than this are ignored; raise it if many items may share text;
                default 10.
            min_words: A whole number in [1, 1000]: items of fewer words are not looked for; default
                4.

        Returns:
            corpus_id (as id): a row of the corpus.
            item_id (as id): an item that occurs in its text.
            benchmark (as input): the benchmark of the item, if the items have that column.
            field (as input): the field of the item, if the items have that column.
            kind (Utf8): 'verbatim': one run holds all words of the item; 'near': runs hold some of
                them; 'short': all words of an item of fewer words than a run.
            coverage (Float64): share of the item's words that the runs hold; words that only
                ignored n-grams hold count neither as held nor as words of the item.
            hits (Int64): n-grams of min_run words of the item in the runs that are not ignored.
            ignored_hits (Int64): n-grams of the item in the runs that occur in more than max_items
                items.
            longest_run (Int64): words of the longest run.
            start_char (Int64): offset of the first character of the runs in the text.
            end_char (Int64): offset after the last character of the runs, also of those that are
                not listed.
            runs (List(Struct("start_char": Int64, "end_char": Int64, "item_start_char": Int64,
                "item_end_char": Int64, "words": Int64))): the runs in the order of the text, the
                first 100: start_char and end_char in the text, item_start_char and item_end_char in
                the item, words.

        Note:
            Complete and exact on 64-bit hashes of words: all runs of all groups that count. A run
                is a maximal sequence of equal words. Two runs are neighbours if the end of one and
                the beginning of the other are fewer words apart, in the text and in the item, than
                either of them has, and than min_run; a group is a run with its neighbours, theirs,
                and so on. At most 256 runs of an item in a text have their neighbours looked for,
                and at most 256 neighbours are found, so that texts of few different words, such as
                tables of digits, are not compared at all of their places. A group counts if a run
                of at least min_run words in it has an n-gram that is not ignored.
            An item of few words may keep no such run when two of its words are changed. With s as
                three quarters of min_run, rounded up, this concerns items of at least 2 s words and
                fewer than 3 min_run: by default, s = 6 and 12 to 23 words. For them, a group also
                counts if a run of at least s words in it has an n-gram of s words that occurs in at
                most max_items items, and the group holds three quarters of the item's words.
            With the defaults, an item of 12 or more different words is found if one word in every
                dozen, at any place in it, is replaced, removed or preceded by another one. An
                edited item of fewer words often keeps no run: a lower min_run finds it.
            Ids of the corpus may be repeated or NULL: each row is reported. Rows of either relation
                without a text are left out.
            Items with the same words are one item for max_items; each of their rows is reported,
                with its own id, benchmark and field. Ids of items may be repeated or NULL. Runs
                anywhere in a text add up, so that an item of coverage 1 may be 'near'. Items of
                fewer words than min_words, and those all of whose n-grams are ignored, are not
                looked for; a warning in the log says how many.
            The rows do not depend on the number of partitions.
        """
        return self._call(
            "contamination",
            [corpus, items],
            ["id", "text", "id_b", "text_b", "benchmark", "field"],
            id=id,
            text=text,
            id_b=id_b,
            text_b=text_b,
            benchmark=benchmark,
            field=field,
            min_coverage=min_coverage,
            min_run=min_run,
            max_items=max_items,
            min_words=min_words,
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
        within: str | Sequence[str] | None = None,
        parts: int | None = None,
    ) -> Result:
        """Finds every pair of rows whose vectors have at least the given cosine, by comparing all pairs.

        With two relations, a pair is a row of the first and a row of the second.

        Args:
            data: A relation: id, vector.
            data_b: A relation: id, vector.
            id: A column: the id column: integers or texts; default id.
            vector: A column: the column of vectors: lists of numbers of one length, or lists of
                (term, weight); default vector.
            id_b: A column: the id column of the second relation; default: that of id.
            vector_b: A column: the column of vectors of the second relation; default: that of
                vector.
            threshold: A number in (0, 1]: minimum similarity of a pair; default 0.8.
            across: A column: only pairs whose values in this column differ; rows with NULL in it
                are in no pair.
            within: A list of columns, as in [a, b]: only pairs of rows that agree in these columns,
                as in [language, site]; rows with NULL in one of them are in no pair.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            similarity (Float64): the cosine.

        Note:
            Complete: recall 1 and precision 1, in double precision.
            Zero and empty vectors are in no pair.
            Each unordered pair is reported once, id_a < id_b; a row is never paired with itself.
                Rows with NULL are in no pair.
            Rows with the same id and the same vector are one row; an id with different vectors is
                an error that names the id.
            The rows do not depend on the number of partitions, parts or chunks.
        """
        return self._call(
            "cosine_join",
            [data, data_b],
            ["id", "vector", "id_b", "vector_b", "across", "within"],
            id=id,
            vector=vector,
            id_b=id_b,
            vector_b=vector_b,
            threshold=threshold,
            across=across,
            within=within,
            parts=parts,
        )

    def deduplicate(
        self,
        data: Data,
        *,
        id: str | None = None,
        text: str | Sequence[str] | None = None,
        vector: str | None = None,
        within: str | Sequence[str] | None = None,
        measure: Literal["jaccard", "containment", "edit", "cosine"] | None = None,
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
        max_bucket_pairwise: int | None = None,
        parts: int | None = None,
    ) -> Result:
        """Returns the rows of the input without near-duplicates, which are the rows that near_duplicates keeps.

        Args:
            data: A relation: any columns, with an id and a text.
            id: A column: the id column: integers or texts; default id.
            text: A list of columns, as in [a, b]: the text column, or several, as in [title, body],
                which are compared as one text: that of each, with blank lines between them; NULL is
                left out. With 'projection' read only if keep is 'longest'.
            vector: A column: with 'projection': the column of vectors, whose cosine is the
                similarity; default vector.
            within: A list of columns, as in [a, b]: only rows that agree in these columns, as in
                [language, site], are compared; rows with NULL in one of them are kept.
            measure: One of jaccard, containment, edit, cosine: the similarity of two rows:
                'jaccard': that of the shingle sets of two texts; 'containment': the share of the
                shingles of a row that a row before it in keep order contains; 'edit': 1 minus the
                edit distance of two texts divided by the length of the longer one; 'cosine': that
                of two vectors. Default: 'jaccard', with method 'projection' 'cosine'. 'minhash'
                finds pairs by 'jaccard' only.
            threshold: A number in (0, 1]: minimum similarity of a pair; default 0.8.
            shingle: A shingle such as 'word:3': how a text is split into shingles: 'char:n',
                'word:n' or 'space:n'; default 'word:3'.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.
            method: One of exact, minhash, projection: how pairs are found: the exact join, MinHash
                at a target recall, or random projection of vectors at a target recall; default
                'exact'.
            resolution: One of representative, components: 'representative': a row is removed if it
                is similar to a kept row; 'components': one row of each connected component is kept;
                default 'representative'.
            keep: One of first, longest: which row is kept: 'first': that with the smallest id;
                'longest': that with the most characters; default 'first'.
            keep_by: A text: which row is kept, instead of keep: the first one in the order of a
                column, given as 'column' or 'column desc', or of several, as in 'quality desc,
                length(text) desc, date', where length(column) is the number of characters of a
                text; among equals that with the smallest id.
            target_recall: A number in (0, 1): fraction of the pairs at the threshold that MinHash
                or random projection finds; default 0.99.
            num_hashes: A whole number in [1, 4096]: maximum number of hash functions of a MinHash
                signature; default 128.
            bits: A whole number in [1, 4096]: bits of a vector's signature; default 1024.
            seed: A whole number in [0, 9007199254740992]: seed of signatures, and of the tables in
                which they are compared; default 1.
            max_bucket_pairwise: A whole number in [1, 4000000000]: a bucket with more distinct
                texts than this is oversized: its rows are verified only against a few of them, its
                pivots; with 'projection' a vector is paired only with its first similar
                predecessors in keep order, this many and at most 256; default 10000.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            as input (as input): the columns of the input.

        Note:
            With resolution 'representative', every removed row is verified to be similar to a kept
                row.
            Two kept rows may be similar only in the cases that near_duplicates states, such as
                oversized buckets.
            Of the rows of an id, the first is kept: rows with a text come first, then rows are in
                keep order, then in the order of the columns from left to right, NULL last. An id
                with different texts is an error that names the id.
            All rows without an id are kept.
        """
        return self._call(
            "deduplicate",
            [data],
            ["id", "text", "vector", "within"],
            id=id,
            text=text,
            vector=vector,
            within=within,
            measure=measure,
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
            max_bucket_pairwise=max_bucket_pairwise,
            parts=parts,
        )

    def document_frequencies(
        self,
        counts: Data,
        *,
        id: str | None = None,
        term: str | None = None,
    ) -> Result:
        """Counts in how many documents of a collection each term occurs.

        Args:
            counts: A relation: id, term.
            id: A column: the id of a document; default id.
            term: A column: a term of the document; default term.

        Returns:
            term (text): the term.
            df (Int64): number of distinct documents with the term.

        Note:
            One row for each term. Rows with a NULL id or term are ignored.
        """
        return self._call(
            "document_frequencies",
            [counts],
            ["id", "term"],
            id=id,
            term=term,
        )

    def document_similarity(
        self,
        pairs: Data,
        sentences: Data,
        *,
        id_a: str | None = None,
        id_b: str | None = None,
        id: str | None = None,
        document: str | None = None,
    ) -> Result:
        """Counts the sentences that two documents share: those of one that have a similar sentence in the other, by pairs of sentences that a join or a job has found and verified.

        Order the result by shared to get the most similar documents.

        Args:
            pairs: A relation: id_a, id_b.
            sentences: A relation: id, document.
            id_a: A column: the id of one row of a pair; default id_a.
            id_b: A column: the id of the other row of a pair; default id_b.
            id: A column: the id of a sentence, in the second relation; default id.
            document: A column: the document of the sentence, in the second relation: an integer or
                a text; default document.

        Returns:
            document_a (as id): the smaller document.
            document_b (as id): the larger document.
            shared (Int64): the smaller of the next two numbers.
            shared_a (Int64): number of sentences of the first document with a similar one in the
                second.
            shared_b (Int64): number of sentences of the second document with a similar one in the
                first.

        Note:
            One row for each two documents that share a sentence. Pairs within a document do not
                count, and repeated pairs count once.
            The pairs of a job with pairs 'linked' have one pair for each copy, so that the counts
                may be too small; with pairs 'all' they are exact.
        """
        return self._call(
            "document_similarity",
            [pairs, sentences],
            ["id_a", "id_b", "id", "document"],
            id_a=id_a,
            id_b=id_b,
            id=id,
            document=document,
        )

    def edit_join(
        self,
        data: Data,
        data_b: Data | None = None,
        *,
        id: str | None = None,
        text: str | Sequence[str] | None = None,
        id_b: str | None = None,
        text_b: str | Sequence[str] | None = None,
        threshold: float | None = None,
        normalize: bool | None = None,
        across: str | None = None,
        within: str | Sequence[str] | None = None,
        parts: int | None = None,
    ) -> Result:
        """Finds every pair of rows whose texts have at least the given edit similarity: 1 minus the number of characters that must be inserted, deleted or replaced, divided by the characters of the longer text.

        The result is exact and complete. It is for short texts such as names, titles and sentences.
        With two relations, a pair is a row of the first and a row of the second. Candidates share
        one of their rarest grams, runs of 1 to 8 characters (Gravano et al., VLDB 2001; Xiao, Wang,
        Lin, PVLDB 2008), and are verified by a bounded Levenshtein distance.

        Args:
            data: A relation: id, text.
            data_b: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A list of columns, as in [a, b]: the text column, or several, as in [title, body],
                which are compared as one text: that of each, with blank lines between them; NULL is
                left out.
            id_b: A column: the id column of the second relation; default: that of id.
            text_b: A list of columns, as in [a, b]: the text column of the second relation, or
                several; default: those of text.
            threshold: A number in (0, 1]: minimum edit similarity of a pair; below 0.75 most texts
                are candidates of each other; default 0.8.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.
            across: A column: only pairs whose values in this column differ; rows with NULL in it
                are in no pair.
            within: A list of columns, as in [a, b]: only pairs of rows that agree in these columns,
                as in [language, site]; rows with NULL in one of them are in no pair.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            similarity (Float64): edit similarity of the two texts.

        Note:
            Complete: recall 1 and precision 1.
            Each unordered pair is reported once, id_a < id_b; a row is never paired with itself.
                Empty texts and rows with NULL are in no pair.
            The rows do not depend on the number of partitions or parts.
        """
        return self._call(
            "edit_join",
            [data, data_b],
            ["id", "text", "id_b", "text_b", "across", "within"],
            id=id,
            text=text,
            id_b=id_b,
            text_b=text_b,
            threshold=threshold,
            normalize=normalize,
            across=across,
            within=within,
            parts=parts,
        )

    def field_join(
        self,
        data: Data,
        data_b: Data | None = None,
        *,
        id: str | None = None,
        id_b: str | None = None,
        fields: str | Sequence[str] | None = None,
        fields_b: str | Sequence[str] | None = None,
        weights: Sequence[float] | None = None,
        measures: Sequence[Literal["jaccard", "containment", "edit"]] | None = None,
        threshold: float | None = None,
        shingle: str | None = None,
        shingles: Sequence[str] | None = None,
        missing: Literal["zero", "rescale"] | None = None,
        normalize: bool | None = None,
        across: str | None = None,
        within: str | Sequence[str] | None = None,
        parts: int | None = None,
    ) -> Result:
        """Finds every pair of records that are similar in several fields, such as title, body and answer of the threads of a forum: the weighted mean of the similarities of the fields is at least the threshold (Wu, Zhang, Huang 2011).

        The result is exact and complete. With two relations, a pair is a row of the first and a row
        of the second.
        Candidates are records of which one field is similar: the similarity of all of them is at
        most that of the most similar field, so it is enough to join each field at the threshold.
        Fields of small weights are not joined, as long as the threshold that the other fields must
        reach without them is above nine tenths of the threshold. All fields of a candidate are then
        compared. Fields by edit similarity are joined as in edit_join: they are for short texts,
        such as names and titles, and below a threshold of 0.75 most of their texts are candidates
        of each other.

        Args:
            data: A relation: id, the columns of fields.
            data_b: A relation: id, the columns of fields_b.
            id: A column: the id column: integers or texts; default id.
            id_b: A column: the id column of the second relation; default: that of id.
            fields: A list of columns, as in [a, b]: the text columns that are compared, as in
                [title, body, answer].
            fields_b: A list of columns, as in [a, b]: those of the second relation, in the same
                order; default: those of fields.
            weights: A list in brackets, each element a number in [0, 1]: the weight of each field,
                as in [0.4, 0.2, 0.4]: 0 or at least 1e-9, with the sum 1; default: equal weights.
            measures: A list in brackets, each element one of jaccard, containment, edit: how each
                field is compared, or one for all: 'jaccard': common shingles, divided by those of
                either text; 'containment': divided by those of the text that has fewer; 'edit': 1
                minus the edit distance of the texts, divided by the characters of the longer one;
                default 'jaccard'.
            threshold: A number in (0, 1]: minimum of the weighted mean; default 0.8.
            shingle: A shingle such as 'word:3': how a text is split into shingles: 'char:n',
                'word:n' or 'space:n'; default 'word:3'.
            shingles: A list in brackets, each element a shingle such as 'word:3': how the texts of
                each field are split into shingles, or one for all, instead of shingle; of no effect
                on fields by 'edit'.
            missing: One of zero, rescale: what a field counts that is NULL or empty (also: without
                shingles, such as white space) in one of two records: 'zero': its similarity is 0;
                'rescale': it is left out, and the weights of the others are divided by their sum;
                default 'zero'.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.
            across: A column: only pairs whose values in this column differ; rows with NULL in it
                are in no pair.
            within: A list of columns, as in [a, b]: only pairs of rows that agree in these columns,
                as in [language, site]; rows with NULL in one of them are in no pair.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            similarity (Float64): the weighted mean: the sum of weight * similarity, in the order of
                the fields, divided by the sum of the weights.
            …_similarity (Float64): for each field, such as title_similarity: the similarity of its
                texts; NULL if it is left out.

        Note:
            Complete: recall 1 and precision 1, for sets of shingles on their 64-bit hashes. The
                mean is that of Float64; one that is less than the threshold by a share of at most
                1e-12, as rounding makes it, is the threshold.
            Each unordered pair is reported once, id_a < id_b; a row is never paired with itself.
                Rows with a NULL id, and rows whose fields are all NULL or empty, are in no pair.
            Rows with the same id and the same fields are one row; an id with different fields is an
                error that names the id. A field that is NULL is the same as an empty one.
            The rows do not depend on the number of partitions or parts.
        """
        return self._call(
            "field_join",
            [data, data_b],
            ["id", "id_b", "fields", "fields_b", "across", "within"],
            id=id,
            id_b=id_b,
            fields=fields,
            fields_b=fields_b,
            weights=weights,
            measures=measures,
            threshold=threshold,
            shingle=shingle,
            shingles=shingles,
            missing=missing,
            normalize=normalize,
            across=across,
            within=within,
            parts=parts,
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
        within: str | Sequence[str] | None = None,
        parts: int | None = None,
    ) -> Result:
        """Finds pairs of rows whose bit signatures differ in few bits.

        With two relations, a pair is a row of the first and a row of the second.

        Args:
            data: A relation: id, signature.
            data_b: A relation: id, signature.
            id: A column: the id column: integers or texts; default id.
            signature_column: A column: the column of signatures: bytes of one length; default
                signature.
            id_b: A column: the id column of the second relation; default: that of id.
            signature_column_b: A column: the column of signatures of the second relation; default:
                that of signature_column.
            max_distance: A whole number in [0, 4096]: maximum number of bits in which the
                signatures of a pair differ; default 3.
            method: One of exact, bands, window, exhaustive: which rows are compared: 'exhaustive':
                all; 'exact': those that agree in one of max_distance + 1 blocks, which finds all
                pairs, for small distances; 'bands': those that agree in the key_bits bits of one of
                several tables; 'window': those that are near in the sorted order of permuted bits;
                default 'exact'.
            tables: A whole number in [1, 4096]: with 'bands' and 'window': number of tables: keys
                of a signature ('bands') or permutations ('window'); default 20.
            key_bits: A whole number in [1, 4096]: with 'bands': bits of a key; default 16.
            window: A whole number in [1, 1000000]: with 'window': number of preceding rows, in
                sorted order, with which a row is compared; default 100.
            chunk: A whole number in [1, 1000000000]: with 'window': rows of a table that are
                processed at a time; default 65536.
            bits: A whole number in [1, 4096]: bits of a signature; default: all bits of the
                column's type, which must have a fixed length unless method is 'exhaustive'.
            seed: A whole number in [0, 9007199254740992]: seed of signatures, and of the tables in
                which they are compared; default 1.
            across: A column: only pairs whose values in this column differ; rows with NULL in it
                are in no pair.
            within: A list of columns, as in [a, b]: only pairs of rows that agree in these columns,
                as in [language, site]; rows with NULL in one of them are in no pair.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            distance (UInt32): bits in which the signatures differ.

        Note:
            No reported pair has a distance above max_distance. 'exact' and 'exhaustive' are
                complete; lsh_plan shows the expected recall of the other methods.
            Each unordered pair is reported once, id_a < id_b; a row is never paired with itself.
                Rows with NULL are in no pair.
            Rows with the same id and the same signature are one row; an id with different
                signatures is an error that names the id.
            The rows do not depend on the number of partitions, parts or chunks.
        """
        return self._call(
            "hamming_join",
            [data, data_b],
            ["id", "signature_column", "id_b", "signature_column_b", "across", "within"],
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
            within=within,
            parts=parts,
        )

    def i_match(
        self,
        data: Data,
        *,
        id: str | None = None,
        text: str | None = None,
        min_idf: float | None = None,
        max_idf: float | None = None,
        normalize: bool | None = None,
    ) -> Result:
        """Computes the I-Match signature of each text: one hash of its words that are neither frequent nor rare in the collection (Chowdhury, Frieder, Grossman, McCabe, TOIS 2002).

        Texts with the same signature have the same words of that range, in any order.
        The inverse document frequency of a word is ln(N / df), normalised to [0, 1] by the smallest
        and the largest of the collection. If all words are equally frequent, it is 1.

        Args:
            data: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            min_idf: A number in [0, 1]: smallest normalised inverse document frequency of a word of
                the signature; default 0.1.
            max_idf: A number in [0, 1]: largest normalised inverse document frequency of a word of
                the signature; 0.9 leaves out the rarest words, such as misspelt ones; default 1.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.

        Returns:
            id (as id): the id of a text.
            signature (List(UInt64)): a list of one hash, or an empty list if no word is in the
                range.
            words (Int64): number of distinct words in the range.

        Note:
            One row for each text that is not blank. Rows with NULL have none.
            Rows with the same id and the same text are one text; an id with different texts is an
                error that names the id.
        """
        return self._call(
            "i_match",
            [data],
            ["id", "text"],
            id=id,
            text=text,
            min_idf=min_idf,
            max_idf=max_idf,
            normalize=normalize,
        )

    def jaccard_join(
        self,
        data: Data,
        data_b: Data | None = None,
        *,
        id: str | None = None,
        text: str | Sequence[str] | None = None,
        id_b: str | None = None,
        text_b: str | Sequence[str] | None = None,
        signature_column: str | None = None,
        signature_column_b: str | None = None,
        threshold: float | None = None,
        shingle: str | None = None,
        normalize: bool | None = None,
        copies: Literal["all", "linked"] | None = None,
        max_bucket_pairwise: int | None = None,
        across: str | None = None,
        within: str | Sequence[str] | None = None,
        parts: int | None = None,
    ) -> Result:
        """Finds every pair of rows whose shingle sets have at least the given Jaccard similarity.

        The result is exact and complete. With two relations, a pair is a row of the first and a row
        of the second.
        With signature_column, the sets are the lists of a column: of hashes or of strings, such as
        winnow, spot_signatures, i_match, shingle_hashes and terms give.

        Args:
            data: A relation: id, text.
            data_b: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A list of columns, as in [a, b]: the text column, or several, as in [title, body],
                which are compared as one text: that of each, with blank lines between them; NULL is
                left out.
            id_b: A column: the id column of the second relation; default: that of id.
            text_b: A list of columns, as in [a, b]: the text column of the second relation, or
                several; default: those of text.
            signature_column: A column: the column of sets: lists of hashes or of strings, which are
                compared instead of shingles of texts.
            signature_column_b: A column: the column of sets of the second relation; default: that
                of signature_column.
            threshold: A number in (0, 1]: minimum similarity of a pair; default 0.8.
            shingle: A shingle such as 'word:3': how a text is split into shingles: 'char:n',
                'word:n' or 'space:n'; default 'word:3'.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.
            copies: One of all, linked: 'all': every pair; 'linked': only one row of each distinct
                text, that with the smallest id, is compared with other texts, and each of its
                copies has one pair with it; default 'all'.
            max_bucket_pairwise: A whole number in [1, 4000000000]: with linked copies: a bucket
                with more distinct texts than this is oversized; its rows are verified only against
                a few of them, its pivots; default 10000.
            across: A column: only pairs whose values in this column differ; rows with NULL in it
                are in no pair; not with linked copies.
            within: A list of columns, as in [a, b]: only pairs of rows that agree in these columns,
                as in [language, site]; rows with NULL in one of them are in no pair.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            similarity (Float64): exact Jaccard similarity of the two sets.

        Note:
            Complete: recall 1 and precision 1 on 64-bit hashes of shingles (with linked copies: for
                buckets that are not oversized).
            Each unordered pair is reported once, id_a < id_b; a row is never paired with itself.
                Empty texts, empty lists and rows with NULL are in no pair; NULL elements of lists
                are ignored.
            The rows do not depend on the number of partitions or parts.
        """
        return self._call(
            "jaccard_join",
            [data, data_b],
            ["id", "text", "id_b", "text_b", "signature_column", "signature_column_b", "across", "within"],
            id=id,
            text=text,
            id_b=id_b,
            text_b=text_b,
            signature_column=signature_column,
            signature_column_b=signature_column_b,
            threshold=threshold,
            shingle=shingle,
            normalize=normalize,
            copies=copies,
            max_bucket_pairwise=max_bucket_pairwise,
            across=across,
            within=within,
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
        """Shows the bands and rows that minhash_join chooses, and their expected recall.

        With method 'projection' it shows the possible settings of projection_join for a collection
        of a given number of vectors, by the model of Ture, Elsayed and Lin (SIGIR 2011): their
        expected recall and cost, and which one is recommended.

        Args:
            threshold: A number in (0, 1]: similarity at which target_recall holds; default 0.8.
            target_recall: A number in (0, 1): fraction of the pairs at the threshold that MinHash
                or random projection finds; default 0.99.
            num_hashes: A whole number in [1, 4096]: maximum number of hash functions of a MinHash
                signature; default 128.
            method: One of minhash, projection: the join to plan for; the columns of the result
                differ; default 'minhash'.
            vectors: A whole number in [2, 1000000000000]: with 'projection': number of vectors of
                the collection; default 1000000.
            bits: A whole number in [1, 4096]: bits of a vector's signature; default 1024.

        Returns:
            bands (Int64): number of bands, that is keys of a signature.
            rows (Int64): hash values of a key.
            hashes (Int64): bands times rows.
            expected_recall (Float64): probability that a pair at the threshold is found.
            similarity (Float64): 0.1 to 1.0 in steps of 0.1.
            probability (Float64): probability that a pair of that similarity becomes a candidate: 1
                - (1 - similarity^rows)^bands.

        Note:
            Ten rows, one for each similarity.
            With 'projection' one row for each setting, with the columns method, bits, max_distance,
                tables, key_bits and window as projection_join takes them; expected_recall, of pairs
                at the threshold, the product of found (in at least one table) and kept (by the
                distance test); unrelated_kept, the fraction of pairs of cosine 0 that the distance
                test keeps; relative_cost, relative to comparing all pairs ('exhaustive' is 1);
                recommended, true for the cheapest setting that reaches target_recall.
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
        text: str | Sequence[str] | None = None,
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
        """Returns the buckets of MinHash banding.

        Rows whose signatures agree in a band share a bucket.

        Args:
            data: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A list of columns, as in [a, b]: the text column, or several, as in [title, body],
                which are compared as one text: that of each, with blank lines between them; NULL is
                left out.
            threshold: A number in (0, 1]: similarity at which target_recall holds; default 0.8.
            shingle: A shingle such as 'word:3': how a text is split into shingles: 'char:n',
                'word:n' or 'space:n'; default 'word:3'.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.
            target_recall: A number in (0, 1): fraction of the pairs at the threshold that MinHash
                or random projection finds; default 0.99.
            num_hashes: A whole number in [1, 4096]: maximum number of hash functions of a MinHash
                signature; default 128.
            bands: A whole number in [1, 4096]: number of bands; given together with rows, instead
                of target_recall.
            rows: A whole number in [1, 4096]: hash values per band; given together with bands.
            scheme: One of bands, draws: how keys are made of a signature; 'draws': as in the
                published systems, of hash values drawn with replacement; default 'bands'.
            draws: A whole number in [1, 4096]: with scheme 'draws': number of keys of a signature;
                default 10.
            draw_size: A whole number in [1, 4096]: with scheme 'draws': hash values per key, drawn
                with replacement; default 10.
            bits: A whole number in [1, 64]: bits of a hash value; default 32.
            seed: A whole number in [0, 9007199254740992]: seed of signatures, and of the tables in
                which they are compared; default 1.

        Returns:
            band (Int64): number of the band, from 0.
            bucket (UInt64): key of the bucket.
            id (as id): id of a row in the bucket.

        Note:
            Only buckets with at least two rows.
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
        text: str | Sequence[str] | None = None,
        id_b: str | None = None,
        text_b: str | Sequence[str] | None = None,
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
        max_bucket_pairwise: int | None = None,
        across: str | None = None,
        within: str | Sequence[str] | None = None,
        parts: int | None = None,
    ) -> Result:
        """Finds pairs of similar rows by MinHash signatures and verifies them.

        Bands and rows are chosen for a target recall at the threshold. By default, reported
        similarities are exact. With two relations, a pair is a row of the first and a row of the
        second.

        Args:
            data: A relation: id, text.
            data_b: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A list of columns, as in [a, b]: the text column, or several, as in [title, body],
                which are compared as one text: that of each, with blank lines between them; NULL is
                left out.
            id_b: A column: the id column of the second relation; default: that of id.
            text_b: A list of columns, as in [a, b]: the text column of the second relation, or
                several; default: those of text.
            threshold: A number in (0, 1]: minimum similarity of a pair; default 0.8.
            shingle: A shingle such as 'word:3': how a text is split into shingles: 'char:n',
                'word:n' or 'space:n'; default 'word:3'.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.
            target_recall: A number in (0, 1): fraction of the pairs at the threshold that MinHash
                or random projection finds; default 0.99.
            num_hashes: A whole number in [1, 4096]: maximum number of hash functions of a MinHash
                signature; default 128.
            bands: A whole number in [1, 4096]: number of bands; given together with rows, instead
                of target_recall.
            rows: A whole number in [1, 4096]: hash values per band; given together with bands.
            scheme: One of bands, draws: how keys are made of a signature; 'draws': as in the
                published systems, of hash values drawn with replacement; default 'bands'.
            draws: A whole number in [1, 4096]: with scheme 'draws': number of keys of a signature;
                default 10.
            draw_size: A whole number in [1, 4096]: with scheme 'draws': hash values per key, drawn
                with replacement; default 10.
            bits: A whole number in [1, 64]: bits of a hash value; default 32.
            seed: A whole number in [0, 9007199254740992]: seed of signatures, and of the tables in
                which they are compared; default 1.
            max_bucket: A whole number in [0, 4000000000]: only this many rows of a bucket, the
                first in id order, form pairs; 0: all; default 0.
            verify: One of exact, edit, estimate, none: which similarity is computed and reported:
                'exact': Jaccard of the shingle sets; 'edit': edit similarity of the texts;
                'estimate': fraction of equal hash values; 'none': no verification, similarity NULL;
                default 'exact'.
            copies: One of all, linked: 'all': every pair; 'linked': only one row of each distinct
                text, that with the smallest id, is compared with other texts, and each of its
                copies has one pair with it; default 'all'.
            max_bucket_pairwise: A whole number in [1, 4000000000]: with linked copies: a bucket
                with more distinct texts than this is oversized; its rows are verified only against
                a few of them, its pivots; default 10000.
            across: A column: only pairs whose values in this column differ; rows with NULL in it
                are in no pair; not with linked copies.
            within: A list of columns, as in [a, b]: only pairs of rows that agree in these columns,
                as in [language, site]; rows with NULL in one of them are in no pair.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            similarity (Float64): the similarity that verify selects; NULL if verify is 'none'.

        Note:
            No reported pair is below the threshold unless verify is 'none'.
            A pair of Jaccard similarity s is found with probability 1 - (1 - s^rows)^bands;
                lsh_plan shows it.
            Each unordered pair is reported once, id_a < id_b; a row is never paired with itself.
                Empty texts and rows with NULL are in no pair.
            The rows do not depend on the number of partitions or parts.
        """
        return self._call(
            "minhash_join",
            [data, data_b],
            ["id", "text", "id_b", "text_b", "across", "within"],
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
            max_bucket_pairwise=max_bucket_pairwise,
            across=across,
            within=within,
            parts=parts,
        )

    def near_duplicates(
        self,
        data: Data,
        *,
        id: str | None = None,
        text: str | Sequence[str] | None = None,
        vector: str | None = None,
        within: str | Sequence[str] | None = None,
        measure: Literal["jaccard", "containment", "edit", "cosine"] | None = None,
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
        max_bucket_pairwise: int | None = None,
        parts: int | None = None,
    ) -> Result:
        """Groups near-duplicate rows and decides which of them to keep.

        The result has one row for every input row.

        Args:
            data: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A list of columns, as in [a, b]: the text column, or several, as in [title, body],
                which are compared as one text: that of each, with blank lines between them; NULL is
                left out. With 'projection' read only if keep is 'longest'.
            vector: A column: with 'projection': the column of vectors, whose cosine is the
                similarity; default vector.
            within: A list of columns, as in [a, b]: only rows that agree in these columns, as in
                [language, site], are compared; rows with NULL in one of them are kept.
            measure: One of jaccard, containment, edit, cosine: the similarity of two rows:
                'jaccard': that of the shingle sets of two texts; 'containment': the share of the
                shingles of a row that a row before it in keep order contains; 'edit': 1 minus the
                edit distance of two texts divided by the length of the longer one; 'cosine': that
                of two vectors. Default: 'jaccard', with method 'projection' 'cosine'. 'minhash'
                finds pairs by 'jaccard' only.
            threshold: A number in (0, 1]: minimum similarity of a pair; default 0.8.
            shingle: A shingle such as 'word:3': how a text is split into shingles: 'char:n',
                'word:n' or 'space:n'; default 'word:3'.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.
            method: One of exact, minhash, projection: how pairs are found: the exact join, MinHash
                at a target recall, or random projection of vectors at a target recall; default
                'exact'.
            resolution: One of representative, components: 'representative': a row is removed if it
                is similar to a kept row; 'components': one row of each connected component is kept;
                default 'representative'.
            keep: One of first, longest: which row is kept: 'first': that with the smallest id;
                'longest': that with the most characters; default 'first'.
            keep_by: A text: which row is kept, instead of keep: the first one in the order of a
                column, given as 'column' or 'column desc', or of several, as in 'quality desc,
                length(text) desc, date', where length(column) is the number of characters of a
                text; among equals that with the smallest id.
            target_recall: A number in (0, 1): fraction of the pairs at the threshold that MinHash
                or random projection finds; default 0.99.
            num_hashes: A whole number in [1, 4096]: maximum number of hash functions of a MinHash
                signature; default 128.
            bits: A whole number in [1, 4096]: bits of a vector's signature; default 1024.
            seed: A whole number in [0, 9007199254740992]: seed of signatures, and of the tables in
                which they are compared; default 1.
            max_bucket_pairwise: A whole number in [1, 4000000000]: a bucket with more distinct
                texts than this is oversized: its rows are verified only against a few of them, its
                pivots; with 'projection' a vector is paired only with its first similar
                predecessors in keep order, this many and at most 256; default 10000.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            id (as id): the row's id.
            cluster_id (as id): the representative's id; with resolution 'components' the smallest
                id of the component.
            representative_id (as id): id of the kept row that represents this row; its own id if it
                is kept.
            similarity (Float64): exact similarity with the representative by the measure, with
                'containment' the share of the row's own shingles that the representative contains;
                NULL if the row is kept.
            kept (Boolean): whether the row is kept.
            cluster_size (Int64): number of rows of the cluster.

        Note:
            Resolution 'representative': every removed row is verified to be similar to its
                representative.
            With measure 'containment' a row is removed if a kept row before it in keep order
                contains at least the share threshold of its shingles, so that keep => 'longest'
                removes excerpts; with keep => 'first' a short row is kept beside a longer one after
                it that contains it.
            Two kept rows are not similar, except for pairs that 'minhash' or 'projection' misses
                and for rows of oversized buckets.
            Two kept rows may be similar if all buckets that they share are oversized and, in each,
                the first of the two in keep order is not a pivot and is similar to no kept pivot.
            Two kept vectors may be similar if the later one has more similar predecessors than it
                is paired with, and all of those that it is paired with were removed.
            The rows do not depend on the number of parts and partitions or on the order of the
                input.
            A row without similar rows, or with an empty or NULL text, is kept: it is a cluster of
                one row with similarity NULL.
            Rows with the same id and the same text are one row, and rows of the id without a text
                are ignored; an id with different texts is an error that names the id.
        """
        return self._call(
            "near_duplicates",
            [data],
            ["id", "text", "vector", "within"],
            id=id,
            text=text,
            vector=vector,
            within=within,
            measure=measure,
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
            max_bucket_pairwise=max_bucket_pairwise,
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
        """Computes precision, recall and F1 of found pairs against true pairs, such as those of an exact join, labelled pairs, or the pairs of another run; then F1 is the agreement of the two runs.

        Pairs are unordered, and repeated pairs count once.

        Args:
            found: A relation: id_a, id_b.
            truth: A relation: id_a, id_b.
            id_a: A column: the id of one row of a pair, in both relations; default id_a.
            id_b: A column: the id of the other row, in both relations; default id_b.

        Returns:
            found (Int64): distinct pairs found.
            truth (Int64): distinct true pairs.
            correct (Int64): pairs in both.
            precision (Float64): correct / found; NULL if there are no found pairs.
            recall (Float64): correct / truth; NULL if there are no true pairs.
            f1 (Float64): harmonic mean of precision and recall.
            precision_low (Float64): lower end of the 95 % confidence interval of the precision,
                with the found pairs as trials (see wilson_interval).
            precision_high (Float64): its upper end.
            recall_low (Float64): lower end of the 95 % confidence interval of the recall, with the
                true pairs as trials.
            recall_high (Float64): its upper end.

        Note:
            Always one row, even for empty relations. A pair of an id with itself and one with NULL
                do not count.
        """
        return self._call(
            "pair_quality",
            [found, truth],
            ["id_a", "id_b"],
            id_a=id_a,
            id_b=id_b,
        )

    def partial_duplicates(
        self,
        data: Data,
        *,
        document: str | None = None,
        position: str | None = None,
        text: str | None = None,
        start_column: str | None = None,
        end_column: str | None = None,
        id: str | None = None,
        language: str | None = None,
        language_column: str | None = None,
        splitter: Literal["default", "published"] | None = None,
        min_length: int | None = None,
        max_gap: int | None = None,
        threshold: float | None = None,
        shingle: str | None = None,
        normalize: bool | None = None,
        method: Literal["exact", "minhash"] | None = None,
        target_recall: float | None = None,
        num_hashes: int | None = None,
        seed: int | None = None,
        max_bucket: int | None = None,
        parts: int | None = None,
    ) -> Result:
        """Finds runs of consecutive sentences that two documents share: from the pairs of similar sentences, the maximal runs with a constant difference of positions (Zhang, Zhang, Yu, Huang, SIGIR 2010).

        The relation has a row for each sentence, as the function sentences returns them, or for
        each document, whose text is then split. Its rows are documents if the argument id is given,
        or if it has no columns document and position.
        Every line break of a document ends a sentence, unless the splitter is 'published'. Texts
        whose lines are wrapped have to be unwrapped first: `regexp_replace(text,
        '([^\\n])\\n([^\\n])', '\\1 \\2', 'g')` leaves all offsets as they are.

        Args:
            data: A relation: document, position, text, start_offset, end_offset.
            document: A column: of sentences: the document of a sentence, integers or texts; default
                document.
            position: A column: of sentences: the number of a sentence in its document; default
                position.
            text: A column: the text of a sentence, or of a document; default text.
            start_column: A column: of sentences: the offset of a sentence in its document, for the
                spans of runs.
            end_column: A column: of sentences: the offset after its end.
            id: A column: the id of a document; default id.
            language: A language code such as de or pt-br: the language of documents, which decides
                abbreviations and punctuation; default 'en'.
            language_column: A column: a column that holds each text's language code, instead of
                language.
            splitter: One of default, published: how texts are split into sentences; 'published': by
                the regular expression of the published systems; default 'default'.
            min_length: A whole number in [1, 4000000000]: minimum number of pairs of similar
                sentences in a run; default 4.
            max_gap: A whole number in [0, 20]: largest gap, in sentences, across which two runs are
                joined: with i and j sentences between them in the two documents, the smaller of i
                and j, and their difference, must be at most this; 1 bridges one sentence that is
                altered, inserted, deleted, split or merged; default 0.
            threshold: A number in (0, 1]: minimum similarity of a pair; default 0.8.
            shingle: A shingle such as 'word:3': how a text is split into shingles: 'char:n',
                'word:n' or 'space:n'; default 'word:3'.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.
            method: One of exact, minhash: how similar sentences are found: by the exact join, or by
                MinHash at a target recall; default 'exact'.
            target_recall: A number in (0, 1): fraction of the pairs at the threshold that MinHash
                or random projection finds; default 0.99.
            num_hashes: A whole number in [1, 4096]: maximum number of hash functions of a MinHash
                signature; default 128.
            seed: A whole number in [0, 9007199254740992]: seed of signatures, and of the tables in
                which they are compared; default 1.
            max_bucket: A whole number in [0, 4000000000]: of the occurrences of the same window of
                up to four sentences, only this many, the first in the order of their ids as text,
                form pairs; 0: all; default 0.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            document_a (as id): the smaller document, or the same as document_b.
            first_a (Int64): position of the first sentence of the run.
            last_a (Int64): position of the last one.
            document_b (as id): the other document.
            first_b (Int64): position of the first sentence of the run in it; greater than first_a
                if the documents are the same.
            last_b (Int64): position of the last one.
            length (Int64): number of pairs of similar sentences in the run.
            start_a (Int64): offset of the run in document_a: of documents in characters; of
                sentences as start_column has it, or NULL.
            end_a (Int64): offset after its end.
            start_b (Int64): offset of the run in document_b.
            end_b (Int64): offset after its end.

        Note:
            Complete with the method 'exact': every run of pairs of sentences whose exact Jaccard
                similarity is at least the threshold, each once.
            Runs are maximal. A sentence is in a run for each repetition of it, so runs may overlap.
            Within one document a run is compared with later positions only, never with itself.
            The rows do not depend on the number of partitions or parts.
        """
        return self._call(
            "partial_duplicates",
            [data],
            ["document", "position", "text", "start_column", "end_column", "id", "language_column"],
            document=document,
            position=position,
            text=text,
            start_column=start_column,
            end_column=end_column,
            id=id,
            language=language,
            language_column=language_column,
            splitter=splitter,
            min_length=min_length,
            max_gap=max_gap,
            threshold=threshold,
            shingle=shingle,
            normalize=normalize,
            method=method,
            target_recall=target_recall,
            num_hashes=num_hashes,
            seed=seed,
            max_bucket=max_bucket,
            parts=parts,
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
        within: str | Sequence[str] | None = None,
        parts: int | None = None,
    ) -> Result:
        """Finds pairs of rows whose vectors have at least the given cosine, by bit signatures of random projection, and verifies them by the exact cosine.

        The maximum distance of signatures is chosen such that a fraction target_recall of the pairs
        at the threshold is kept. With two relations, a pair is a row of the first and a row of the
        second.

        Args:
            data: A relation: id, vector.
            data_b: A relation: id, vector.
            id: A column: the id column: integers or texts; default id.
            vector: A column: the column of vectors: lists of numbers of one length, or lists of
                (term, weight); default vector.
            id_b: A column: the id column of the second relation; default: that of id.
            vector_b: A column: the column of vectors of the second relation; default: that of
                vector.
            threshold: A number in (0, 1]: minimum similarity of a pair; default 0.8.
            target_recall: A number in (0, 1): fraction of the pairs at the threshold to be found;
                with 'window' only the fraction that the distance test keeps; default 0.99.
            bits: A whole number in [1, 4096]: bits of a vector's signature; default 1024.
            max_distance: A whole number in [0, 4096]: maximum number of bits in which the
                signatures of a pair differ; default: the smallest that reaches target_recall.
            verify: One of exact, estimate: which similarity is reported: 'exact': the exact cosine,
                at least the threshold; 'estimate': the estimate from the signatures, which may be
                below the threshold; default 'exact'.
            method: One of exhaustive, bands, window: which signatures are compared: 'exhaustive':
                all; 'bands': those that agree in the key_bits bits of one of several tables;
                'window': those that are near in the sorted order of permuted bits; default
                'exhaustive'.
            tables: A whole number in [1, 4096]: with 'bands' and 'window': number of tables: keys
                of a signature ('bands') or permutations ('window'); default: chosen for the target
                recall with 'bands', 20 with 'window'.
            key_bits: A whole number in [1, 4096]: with 'bands': bits of a key; default: chosen for
                the target recall.
            window: A whole number in [1, 1000000]: with 'window': number of preceding rows, in
                sorted order, with which a row is compared; default 100.
            chunk: A whole number in [1, 1000000000]: with 'window': rows of a table that are
                processed at a time; default 65536.
            seed: A whole number in [0, 9007199254740992]: seed of signatures, and of the tables in
                which they are compared; default 1.
            across: A column: only pairs whose values in this column differ; rows with NULL in it
                are in no pair.
            within: A list of columns, as in [a, b]: only pairs of rows that agree in these columns,
                as in [language, site]; rows with NULL in one of them are in no pair.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            similarity (Float64): the cosine, exact or estimated.

        Note:
            No reported pair is below the threshold unless verify is 'estimate'.
            With 'exhaustive' and 'bands', a pair at the threshold is found with a probability of at
                least target_recall; lsh_plan shows the expected recall and cost of the methods.
            Zero and empty vectors are in no pair.
            Each unordered pair is reported once, id_a < id_b; a row is never paired with itself.
                Rows with NULL are in no pair.
            Rows with the same id and the same vector are one row; an id with different vectors is
                an error that names the id.
            The rows do not depend on the number of partitions, parts or chunks.
        """
        return self._call(
            "projection_join",
            [data, data_b],
            ["id", "vector", "id_b", "vector_b", "across", "within"],
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
            within=within,
            parts=parts,
        )

    def recall_by_similarity(
        self,
        found: Data,
        truth: Data,
        *,
        id_a: str | None = None,
        id_b: str | None = None,
        similarity: str | None = None,
        bins: int | None = None,
    ) -> Result:
        """Measures the recall of found pairs by similarity, with confidence intervals: the share of the true pairs that is among the found ones.

        True pairs are those of an exact join, such as one of a sample of rows with all rows.

        Args:
            found: A relation: id_a, id_b.
            truth: A relation: id_a, id_b, similarity.
            id_a: A column: the id of one row of a pair, in both relations; of a true pair that of
                the row of the sample; default id_a.
            id_b: A column: the id of the other row, in both relations; default id_b.
            similarity: A column: the similarity of a true pair, from 0 to 1; default similarity.
            bins: A whole number in [1, 1000]: number of equal bins of similarities between 0 and 1;
                default 20.

        Returns:
            similarity_from (Float64): lower end of the bin; NULL in the row of all bins.
            similarity_to (Float64): upper end of the bin, which belongs to the next one; NULL in
                the row of all bins.
            sampled (Int64): distinct rows of the sample that have true pairs in the bin.
            pairs (Int64): distinct true pairs.
            found (Int64): those that are among the found pairs.
            recall (Float64): found / pairs.
            recall_low (Float64): lower end of the 95 % confidence interval of the recall.
            recall_high (Float64): its upper end.

        Note:
            A row for each bin that has true pairs, and one for all of them together if there are
                any.
            Pairs are unordered, and repeated pairs count once; a true pair of an id with itself and
                one with NULL do not count.
            The interval is Wilson's, for (sum n)^2 / sum n^2 trials, where n are the numbers of
                pairs of the rows of the sample (Kish 1965): the pairs of a row count as one trial
                if they are all of its bin. A pair of two rows of the sample belongs to the smaller
                one.
        """
        return self._call(
            "recall_by_similarity",
            [found, truth],
            ["id_a", "id_b", "similarity"],
            id_a=id_a,
            id_b=id_b,
            similarity=similarity,
            bins=bins,
        )

    def repeated_passages(
        self,
        data: Data,
        *,
        id: str | None = None,
        text: str | None = None,
        min_words: int | None = None,
        min_copies: int | None = None,
        normalize: bool | None = None,
    ) -> Result:
        """Lists the repeated passages of texts: runs of at least a number of words each part of which already occurs in a text of a smaller id, or earlier in the same text.

        The function cut_spans removes them; dedup with edit => 'passages' does that for a table,
        until no passage occurs twice.

        Args:
            data: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            min_words: A whole number in [1, 1000]: minimum number of words of a repeated passage;
                default 40.
            min_copies: A whole number in [2, 4000000000]: passages that occur fewer times are not
                listed; default 2.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.

        Returns:
            id (as id): a text with a repeated passage.
            start_char (Int64): offset of its first character in the text.
            end_char (Int64): offset after its last character.
            first_id (as id): the text in which it occurs first.
            first_start_char (Int64): offset of its first character there.
            first_end_char (Int64): offset after its last character there.
            words (Int64): number of its words.
            copies (Int64): number of occurrences of its rarest passage of min_words words, the
                first one included.

        Note:
            Complete: the rows cover each occurrence of min_words consecutive words but the first,
                in the order of ids and of positions in a text, except for the words that it has in
                common with the first one.
            Consecutive occurrences whose first occurrences are also consecutive are one row. Rows
                overlap where parts of a passage first occur in different texts.
            Words are the UAX #29 words that hold a letter or a digit; the characters between them
                are not compared.
            Among 1e10 passages, two different ones are taken for equal with a probability below
                1e-11.
            Rows with NULL are left out. An id with different texts is an error that names the id.
            The rows do not depend on the number of partitions.
        """
        return self._call(
            "repeated_passages",
            [data],
            ["id", "text"],
            id=id,
            text=text,
            min_words=min_words,
            min_copies=min_copies,
            normalize=normalize,
        )

    def repeated_text(
        self,
        data: Data,
        *,
        id: str | None = None,
        text: str | None = None,
        unit: Literal["line", "paragraph"] | None = None,
        min_copies: int | None = None,
        min_length: int | None = None,
        normalize: bool | None = None,
        threshold: float | None = None,
        shingle: str | None = None,
    ) -> Result:
        """Lists the repeated lines or paragraphs of texts: those that already occur in a text of a smaller id, or earlier in the same text.

        Without them each line or paragraph occurs once in the texts. The function cut_spans removes
        them. With a threshold below 1, lines or paragraphs that are similar to one that is kept
        also count as copies.

        Args:
            data: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            unit: One of line, paragraph: the unit that texts are divided into: lines, or
                paragraphs, which are separated by blank lines; white space around a unit is not
                compared; default 'line'.
            min_copies: A whole number in [2, 4000000000]: lines or paragraphs that occur fewer
                times are not listed; default 2.
            min_length: A whole number in [0, 4000000000]: minimum length of a line or paragraph in
                characters; default 20.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.
            threshold: A number in (0, 1]: minimum similarity of two lines or paragraphs that count
                as copies; 1: they are equal; default 1.
            shingle: A shingle such as 'word:3': with a threshold below 1: how a line or paragraph
                is split into shingles, 'char:n', 'word:n' or 'space:n'; a changed word changes few
                of the shingles of characters, but most of the shingles of words of a short line;
                default 'char:5'.

        Returns:
            id (as id): a text with a repeated line or paragraph.
            start_char (Int64): offset of its first character in the text.
            end_char (Int64): offset after its last character.
            first_id (as id): the text in which it occurs first; with a threshold below 1, that of
                the line or paragraph that represents it.
            first_start_char (Int64): offset of its first character there.
            first_end_char (Int64): offset after its last character there.
            copies (Int64): number of its occurrences, the first one included; with a threshold
                below 1, those of all lines or paragraphs that the same one represents.

        Note:
            Complete: every occurrence of a line or paragraph but the first, in the order of ids and
                of positions in a text.
            Equal lines or paragraphs have the same XXH3-128 hash; among 1e10 of them, two different
                ones have it with a probability below 1e-18.
            With a threshold below 1 the different lines or paragraphs are resolved in the order of
                their first occurrences: one is listed if an earlier one that is kept is similar to
                it. Its representative is the most similar one that is kept, which may come later.
                Their similarity is exact.
            Two lines or paragraphs that are kept are not similar, except in oversized buckets, as
                in near_duplicates, or if their copies are fewer than min_copies.
            Lines or paragraphs without a shingle are compared for equality.
            Rows with NULL are left out. An id with different texts is an error that names the id.
            The rows do not depend on the number of partitions.
        """
        return self._call(
            "repeated_text",
            [data],
            ["id", "text"],
            id=id,
            text=text,
            unit=unit,
            min_copies=min_copies,
            min_length=min_length,
            normalize=normalize,
            threshold=threshold,
            shingle=shingle,
        )

    def sentence_history(
        self,
        data: Data,
        *,
        document: str | None = None,
        revision: str | None = None,
        timestamp: str | None = None,
        text: str | None = None,
        threshold: float | None = None,
        shingle: str | None = None,
        parts: int | None = None,
    ) -> Result:
        """Returns the history of the sentences of documents that have revisions: when a document first had a sentence, when the sentence was removed, and its origin: an earlier sentence of the document, or a sentence that another document had before.

        Args:
            data: A relation: document, revision, timestamp, text.
            document: A column: the document that a sentence occurs in: an integer or a text;
                default document.
            revision: A column: the revision of the document: an integer; default revision.
            timestamp: A column: when the revision was saved: a timestamp, a date or a number;
                default timestamp.
            text: A column: the text of a sentence; NULL in a row that says only that the document
                has the revision; default text.
            threshold: A number in (0, 1]: minimum similarity of a sentence and the earlier sentence
                that it is derived from; default 0.5.
            shingle: A shingle such as 'word:3': how a sentence is split into shingles: 'char:n',
                'word:n' or 'space:n'; default 'char:5'.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            document (as id): the document.
            text (text): the sentence, as the document has it first.
            first_revision (Int64): the first revision that has it.
            first_seen (as timestamp): when that one was saved.
            last_revision (Int64): the last revision that has it.
            removed_revision (Int64): the revision of the document after that one; NULL if there is
                none, so that the document still has the sentence.
            removed_at (as timestamp): when that one was saved.
            origin (text): 'edit': it was made from a sentence of the document that is gone; 'copy':
                another document had it, or a similar one, before; 'new': neither.
            from_document (as id): the document of the sentence that it was made from; NULL if it is
                new.
            from_text (text): that sentence.
            similarity (Float64): the Jaccard similarity of the two.

        Note:
            One row for each document and each sentence that one of its revisions has, in normal
                form; a sentence that was removed and restored is one row, from its first revision
                to its last one.
            The origin is the most similar of all sentences that a sentence may be derived from.
                Among equally similar ones, those of the document come first, then the oldest.
            A sentence may be derived from a sentence of the same document that an earlier revision
                has and its own first revision does not have, and from one that another document had
                before it, in the order of time, revision and document.
            Revisions are ordered by time, then by number. The revisions of a document are those of
                its rows. A revision without a sentence, because a page was blanked or made a
                redirect, needs a row whose text is NULL: without one it is not known, and the
                document counts as still having its sentences. Revisions with sentences may have
                such a row, too.
            A text of white space only is the same as NULL. Rows in which another column is NULL are
                left out.
            The rows do not depend on the number of partitions.
        """
        return self._call(
            "sentence_history",
            [data],
            ["document", "revision", "timestamp", "text"],
            document=document,
            revision=revision,
            timestamp=timestamp,
            text=text,
            threshold=threshold,
            shingle=shingle,
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
        """Computes the mean of the word vectors of each text, such as a sentence.

        A text is split into terms (lower case, by default without stop words). Each term that is a
        word of the second relation contributes its vector as often as it occurs in the text.

        Args:
            documents: A relation: id, text, language.
            vectors: A relation: word, vector.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            word: A column: the column of words of the second relation; default word.
            vector: A column: the column of vectors of the second relation: lists of numbers;
                default vector.
            language: A language code such as de or pt-br: the language of stop words and stemming;
                default 'en'.
            language_column: A column: a column that holds each text's language code, instead of
                language.
            stop_words: True or false: whether stop words are removed; default true.
            stem: True or false: whether terms are stemmed; the words of the second relation must be
                stems then; default false.

        Returns:
            id (as id): the id.
            vector (as vector): the mean, of Float32 if the vectors are, otherwise of Float64; NULL
                if no word has a vector.
            words (Int64): number of occurrences of words that have a vector.

        Note:
            One row for each id, even if the text is NULL or none of its words has a vector; then
                words is 0.
            Rows with the same id and the same text are one row; an id with different texts is an
                error that names the id. Rows without an id are left out.
            If a word occurs more than once in the second relation, the smallest of its vectors is
                used, compared number by number.
            The mean is computed exactly and rounded once (see mean_vector), so that it does not
                depend on the number of partitions.
            Vectors of different lengths, and numbers that are NULL or not finite, are an error if a
                text has one of their words.
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
        blocks: str | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        window: int | None = None,
        language: str | None = None,
        language_column: str | None = None,
        splitter: Literal["default", "published"] | None = None,
        carry: str | Sequence[str] | None = None,
    ) -> Result:
        """Splits texts into sentences.

        The result has one row per sentence, with its byte range in the text.

        Args:
            data: A relation: id, text, blocks, language, carried.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            blocks: A column: a column of what the lines of the text were on a page of a wiki, as
                wikitext_to_blocks returns it; the result then has the column kind.
            min_length: A whole number in [0, 4000000000]: minimum length of a sentence in
                characters; default 0.
            max_length: A whole number in [0, 4000000000]: maximum length of a sentence in
                characters; 0: no limit; default 0.
            window: A whole number in [1, 1000]: number of consecutive sentences in a row, as a
                sliding window; default 1.
            language: A language code such as de or pt-br: the language of the texts, which decides
                abbreviations and punctuation; default 'en'.
            language_column: A column: a column that holds each text's language code, instead of
                language.
            splitter: One of default, published: how texts are split into sentences; 'published': by
                the regular expression of the published systems; default 'default'.
            carry: A list of columns, as in [a, b]: columns of the input that are copied to each
                sentence.

        Returns:
            sentence_id (Int64): the id shifted left by 20 bits, plus sentence_no.
            id (as id): the id, under the name of its column.
            carry (as input): the copied columns, under their own names.
            sentence_no (Int32): number of the sentence in its text, from 0, counting also sentences
                that the length limits leave out.
            start_byte (Int64): offset of the first byte in the text.
            end_byte (Int64): offset after the last byte.
            kind (text): with blocks: what the sentence was on the page: sentence, list_item (of a
                list, without a stop at its end) or heading; what spans several lines is a sentence
                if one of them is.
            sentence (text): the sentence.

        Note:
            sentence is the text from start_byte to end_byte.
            Ids must be integers from 0 to below 2^43, and a text may have at most 2^20 sentences;
                anything else is an error.
        """
        return self._call(
            "sentences",
            [data],
            ["id", "text", "blocks", "language_column", "carry"],
            id=id,
            text=text,
            blocks=blocks,
            min_length=min_length,
            max_length=max_length,
            window=window,
            language=language,
            language_column=language_column,
            splitter=splitter,
            carry=carry,
        )

    def shared_passages(
        self,
        data: Data,
        *,
        id: str | None = None,
        text: str | None = None,
        min_words: int | None = None,
        min_passage: str | None = None,
        filter_bytes: int | None = None,
    ) -> Result:
        """Finds the verbatim passages of at least a number of words or characters that occur in two or more texts, grouped by their content: the result has a row for each occurrence of a passage, not for each pair of texts.

        Texts are not compared in pairs: the time follows the length of the texts and of the
        passages that are reported. The parts that texts have in common are stored once, with 6
        bytes for each word or 3 for each character; they must fit into memory, on a cluster into
        the memory of one task and into 256 MiB.

        Args:
            data: A relation: side, id, text, group_value.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; texts are compared as they are; default text.
            min_words: A whole number in [1, 1000]: minimum number of words of a passage; shorthand
                for min_passage => 'word:n'.
            min_passage: A shingle such as 'word:3': unit and minimum length of a passage: 'word:n',
                'space:n' (pieces between white space) or 'char:n'; default 'word:12'.
            filter_bytes: A whole number in [256, 1073741824]: maximum size of each of two filters
                of the parts of many texts that may occur in others; in one process the default is
                an eighth of a memory limit that is set, or a 32nd of the memory that is available,
                at least 32 MiB and at most 1 GiB. The rows do not depend on it; if it is less than
                about a sixteenth of the texts, more is compared; default 33554432.

        Returns:
            passage (UInt64): the XXH3-64 hash of the passage: of its units joined by one space, or
                of its characters.
            id (as id): a text in which it occurs.
            start_char (Int64): offset of its first character in the text.
            end_char (Int64): offset after its last character.
            start_byte (Int64): the same in bytes.
            end_byte (Int64): the same in bytes.
            length (Int64): number of units of the passage.
            occurrences (Int64): number of occurrences of the passage, which are its rows.
            texts (Int64): number of texts in which it occurs.

        Note:
            Complete and maximal: for any two rows of the input, each run of equal units of at least
                the minimum length that cannot be extended in both texts, with its position in each.
            Each occurrence of a passage is reported once. Words are compared by 48 bits of their
                XXH3-64 hashes, and a passage must have the same XXH3-64 hash in two texts, so that
                no row is of words that differ, except with a probability below 1e-19 for each
                passage. A passage after or before which two texts have different words with the
                same 48 bits is left out, with a probability below 1e-14 for each pair of its
                occurrences. Of 1e7 texts, a passage that occurs only in two whose hashes collide is
                left out with a probability below 1e-5.
            Passages of one text may overlap, and one may contain another: a passage that two texts
                share can be a part of a passage that others share.
            An occurrence that is a part of a longer passage with every other text has a row for the
                longer passage only, and does not count in occurrences and texts of the shorter one.
            With 'word', words are compared without normalisation, and the characters between them
                are not compared; with 'space' everything except runs of white space is compared,
                with 'char' everything.
            Rows with NULL are not compared. An id with different texts is an error that names the
                id.
            The rows do not depend on the number of partitions.
        """
        return self._call(
            "shared_passages",
            [data],
            ["id", "text"],
            id=id,
            text=text,
            min_words=min_words,
            min_passage=min_passage,
            filter_bytes=filter_bytes,
        )

    def simhash_join(
        self,
        data: Data,
        data_b: Data | None = None,
        *,
        id: str | None = None,
        text: str | Sequence[str] | None = None,
        id_b: str | None = None,
        text_b: str | Sequence[str] | None = None,
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
        within: str | Sequence[str] | None = None,
        parts: int | None = None,
    ) -> Result:
        """Finds pairs of rows whose texts have SimHashes that differ in few bits.

        The distance approximates the angle between the weighted shingle vectors, which differs from
        Jaccard similarity; minhash_join and jaccard_join verify the latter. With two relations, a
        pair is a row of the first and a row of the second.

        Args:
            data: A relation: id, text.
            data_b: A relation: id, text.
            id: A column: the id column: integers or texts; default id.
            text: A list of columns, as in [a, b]: the text column, or several, as in [title, body],
                which are compared as one text: that of each, with blank lines between them; NULL is
                left out.
            id_b: A column: the id column of the second relation; default: that of id.
            text_b: A list of columns, as in [a, b]: the text column of the second relation, or
                several; default: those of text.
            shingle: A shingle such as 'word:3': how a text is split into shingles: 'char:n',
                'word:n' or 'space:n'; default 'word:3'.
            normalize: True or false: whether texts are normalised: NFKC, lower case, runs of white
                space become one space, trimmed; default true.
            bits: A whole number in [64, 128]: bits of a SimHash: 64 or 128; default 64.
            max_distance: A whole number in [0, 128]: maximum number of bits in which the SimHashes
                of a pair differ; default 3.
            method: One of exact, bands, window, exhaustive: which rows are compared: 'exhaustive':
                all; 'exact': those that agree in one of max_distance + 1 blocks, which finds all
                pairs, for small distances; 'bands': those that agree in the key_bits bits of one of
                several tables; 'window': those that are near in the sorted order of permuted bits;
                default 'exact'.
            tables: A whole number in [1, 4096]: with 'bands' and 'window': number of tables: keys
                of a signature ('bands') or permutations ('window'); default 20.
            key_bits: A whole number in [1, 4096]: with 'bands': bits of a key; default 16.
            window: A whole number in [1, 1000000]: with 'window': number of preceding rows, in
                sorted order, with which a row is compared; default 100.
            chunk: A whole number in [1, 1000000000]: with 'window': rows of a table that are
                processed at a time; default 65536.
            seed: A whole number in [0, 9007199254740992]: seed of signatures, and of the tables in
                which they are compared; default 1.
            across: A column: only pairs whose values in this column differ; rows with NULL in it
                are in no pair.
            within: A list of columns, as in [a, b]: only pairs of rows that agree in these columns,
                as in [language, site]; rows with NULL in one of them are in no pair.
            parts: A whole number in [1, 65536]: number of parts of the work; more parts need less
                memory at a time and more work in total; joins of texts by their Jaccard similarity
                with exact verification need no more than 1 in one process, and with several hold
                four to eight bytes of memory for each key of a row while they count keys; default
                1.

        Returns:
            id_a (as id): the smaller id; with two relations the id of the first.
            id_b (as id): the other id.
            distance (UInt32): bits in which the SimHashes differ.

        Note:
            No reported pair has a distance above max_distance. 'exact' and 'exhaustive' are
                complete.
            Empty texts are in no pair.
            Each unordered pair is reported once, id_a < id_b; a row is never paired with itself.
                Rows with NULL are in no pair.
            Rows with the same id and the same text are one row; an id with different texts is an
                error that names the id.
            The rows do not depend on the number of partitions, parts or chunks.
        """
        return self._call(
            "simhash_join",
            [data, data_b],
            ["id", "text", "id_b", "text_b", "across", "within"],
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
            within=within,
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
        """Counts how often each term occurs in each text.

        Terms are stemmed words without stop words. The counts are the input of bm25_vectors.
        Texts of several languages are separate collections: with language_column, a text is split
        by the rules of its language, and terms are counted per language. The functions that use the
        counts take a single collection, such as `(SELECT id, term, tf FROM counts WHERE language =
        'de')`.

        Args:
            data: A relation: id, text, language.
            id: A column: the id column: integers or texts; default id.
            text: A column: the text column; default text.
            language: A language code such as de or pt-br: the language of the texts, as for the
                function terms; default 'en'.
            language_column: A column: a column with the language code of each text; where it is
                NULL, language is used.
            stop_words: True or false: whether stop words are removed; default true.
            stem: True or false: whether words are stemmed; default true.
            min_count: A whole number in [1, 4000000000]: terms that occur fewer times in their
                language are left out; default 2.
            min_terms: A whole number in [0, 4000000000]: after that, texts with fewer terms,
                counting repeats, are left out; default 5.

        Returns:
            id (as id): the id of a text.
            term (text): a term of the text.
            tf (Int64): how often the term occurs in the text.
            language (text): the language code of the text, as given.

        Note:
            One row for each text and term. NULL texts and texts without an id have no rows.
            Rows with the same id, language and text are one text; an id with different texts in a
                language is an error that names the id.
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
        """Translates term counts or document frequencies to another language by a lexical translation table.

        The count of a source term is distributed to its possible target terms, weighted by their
        probabilities (tf*(e) = Σ_f p(f|e)·tf(f) and df*(e) = Σ_f p(f|e)·df(f); Ture, Elsayed and
        Lin, 2011).
        The columns of the first relation decide the result: a relation with tf gives id, term, tf;
        one with df gives term, df.
        The table holds the probability of each source term, given the target term: for German
        counts and an English vocabulary p(german | english), so that the probabilities of one
        English term sum to 1 at most. With a table of columns english, german and p:
        `translate_terms(german_counts, lexicon, source => german, target => english, probability =>
        p)`.
        If the table has target terms that do not occur in the collection to compare with, leave
        them out: `(SELECT german AS source, english AS target, p AS probability FROM lexicon WHERE
        english IN (SELECT term FROM english_counts))`. Terms that match nothing make vectors longer
        and their cosines smaller.
        Terms that are not source terms of the table are lost. `SELECT count(*), sum(tf) FROM
        german_counts WHERE term NOT IN (SELECT german FROM lexicon WHERE german IS NOT NULL)`
        counts them.

        Args:
            counts: A relation: id, term, tf.
            translations: A relation: source, target, probability.
            id: A column: the id of a document; default id.
            term: A column: a term of the document, in the language of source; default term.
            tf: A column: how often the term occurs in the document; default tf.
            df: A column: instead of id and tf: in how many documents the term occurs; default df.
            source: A column: a term of the source language; default source.
            target: A column: a term of the target language; default target.
            probability: A column: probability of the source term, given the target term; default
                probability.

        Returns:
            id (as id): the id of a document; absent if the first relation has df.
            term (text): a target term.
            tf (Float64): its expected count; if the first relation has df, instead the column df
                with the expected document frequency.

        Note:
            Sums are computed with 15 decimal places, so that they do not depend on the order of
                rows.
            Repeated rows of a pair of terms count once. Different probabilities for a pair of
                terms, a probability outside [0, 1], and a target term whose probabilities sum to
                more than 1.01 are errors.
            Rows with NULL and counts and probabilities of 0 are ignored.
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
        """Reads the pages of MediaWiki dumps (.xml, .xml.bz2, .xml.gz; with one bz2 stream or several, which may end anywhere in the XML) in parallel byte ranges.

        It is equivalent to CREATE EXTERNAL TABLE … STORED AS WIKIDUMP.

        Args:
            files: A text: a path or glob, or several, one per line.
            namespaces: A text or a number: a namespace number, several with commas, or 'all';
                default '0'.
            redirects: True or false: whether redirects are rows; with 'all' revisions, a revision
                is a redirect by its own text; default false.
            revisions: One of latest, all: 'latest': one row per page; 'all': one row per revision;
                default 'latest'.
            on_error: One of fail, skip: behaviour for a damaged dump: 'fail': an error with file
                and offset; 'skip': unreadable parts are left out; default 'fail'.
            max_page_bytes: A text or a number: maximum size of a revision; a larger one is handled
                by on_error; default '64 MiB'.
            language: A language code such as de or pt-br: the language of every row, instead of
                that of the dump's header.

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
            timestamp (Timestamp (µs, UTC)): when the revision was saved.
            contributor (text): user name or address; NULL if deleted.
            model (text): content model, such as wikitext.
            wikitext (text): the source text; NULL if deleted.

        Note:
            The rows do not depend on the container, the byte ranges or the number of partitions.
            Only the requested columns are decoded, and LIMIT ends reading early.
            Dumps of different wikis in one call are an error.
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
        """Reads files of word vectors, one row per word.

        The formats are GloVe text, word2vec text and binary, fastText vectors (.vec) and fastText
        models (.bin); text and word2vec binary may be compressed by gzip.

        Args:
            files: A text: a path or glob, or several, one per line.
            format: One of auto, glove, word2vec, word2vec_binary, fasttext: format of the files;
                'auto': recognised by the first bytes of each file; default 'auto'.
            on_error: One of fail, skip: what happens if a row cannot be read (its word is not
                UTF-8, or a number is missing, malformed or infinite): 'fail': an error with file
                and position; 'skip': the row is left out with a warning; default 'fail'.

        Returns:
            word (text): the word, as in the file.
            vector (List of Float32): its numbers.

        Note:
            Every row of a file is a row of the result, even if the same word occurs twice.
            All vectors of a call have the same length; files with different lengths are an error.
            In text formats the vector is the last numbers of a line, so that a word may contain
                spaces.
            A file that is truncated, or has a different number of words than its first line states,
                is an error.
            In a fastText model, the vector of a word is the mean of its row and the rows of its
                character n-grams, as fastText computes it.
            A file is read by one partition as a stream. Only the dictionary and the n-gram rows of
                a model are held in memory (2.4 GB for two million n-grams of 300 numbers).
        """
        return self._call(
            "word_vectors",
            [],
            [],
            files=files,
            format=format,
            on_error=on_error,
        )
