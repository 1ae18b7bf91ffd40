-- name: answered_by_hour
-- Hours without an answer are there too, with none. Read from the index on answers alone.
SELECT hour AS start, count(s.ended_at) AS answers,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM s.ended_at - s.created_at)) AS median_seconds,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM s.ended_at - s.created_at)) AS p95_seconds
FROM generate_series(date_trunc('hour', %(now)s::timestamptz) - make_interval(hours => %(hours)s - 1),
                     date_trunc('hour', %(now)s::timestamptz), interval '1 hour') AS hour
LEFT JOIN submissions s ON s.ended_at >= hour AND s.ended_at < hour + interval '1 hour'
GROUP BY hour ORDER BY hour;
