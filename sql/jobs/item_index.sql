-- item_index
--
-- Step of a job: builds the index of the n-grams of all items, as one row.
SELECT item_index(item_list(number, item_text), $min_run, $max_items, $min_words) AS items
FROM (SELECT DISTINCT number, item_text FROM items)
