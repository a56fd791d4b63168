-- numbered_items
--
-- Step of a job: numbers the distinct texts of items.
SELECT CAST(dense_rank() OVER (ORDER BY item_text) AS BIGINT) AS number, item_id, benchmark, field, item_text
FROM items_read
