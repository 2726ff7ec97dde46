-- The SQL that Keepsake 0.1.0 (release 1) sends to SQLite. scripts/record-sql writes this file.
DELETE FROM account WHERE id = $1 AND closed_at IS NOT NULL -- text
DELETE FROM blob WHERE key = $1 AND state = 'dead' -- text
DELETE FROM capsule WHERE id = $1 AND owner = $2 RETURNING row_bytes -- text, text
DELETE FROM capture WHERE owner = $1 AND id = $2 -- text, text
DELETE FROM capture WHERE owner = $1 AND id = 'gone' -- text
DELETE FROM capture_day WHERE owner = $1 AND (owner, day) IN ( SELECT owner, day FROM capture_day WHERE owner = $2 ORDER BY day LIMIT $3) -- text, text, integer
DELETE FROM capture_day WHERE owner = $1 AND day = $2 -- text, text
DELETE FROM capture_file WHERE media = $1 AND owner = $2 -- text, text
DELETE FROM capture_file WHERE owner = $1 AND capture = $2 AND kind = $3 -- text, text, text
DELETE FROM capture_file WHERE owner = $1 AND capture = $2 AND kind = $3 AND media = $4 -- text, text, text, text
DELETE FROM capture_hour WHERE owner = $1 AND (owner, day, start, hour) IN ( SELECT owner, day, start, hour FROM capture_hour WHERE owner = $2 ORDER BY day, start, hour LIMIT $3) -- text, text, integer
DELETE FROM capture_hour WHERE owner = $1 AND day = $2 AND start = $3 AND hour = $4 -- text, text, integer, integer
DELETE FROM capture_tombstone WHERE hash IN ( SELECT hash FROM capture_tombstone WHERE expires_at <= $1 ORDER BY expires_at LIMIT 500) -- integer
DELETE FROM capture_tombstone WHERE owner = $1 AND hash IN ( SELECT hash FROM capture_tombstone WHERE owner = $2 ORDER BY hash LIMIT $3) -- text, text, integer
DELETE FROM contact WHERE id = $1 AND owner = $2 -- text, text
DELETE FROM contact WHERE id = $1 AND owner = $2 AND by_user = 0 RETURNING row_bytes -- text, text
DELETE FROM contact WHERE merged_into = $1 RETURNING row_bytes -- text
DELETE FROM contact WHERE owner = $1 AND id IN ( SELECT id FROM contact WHERE owner = $2 ORDER BY id LIMIT $3) -- text, text, integer
DELETE FROM contact_lookup WHERE account = $1 -- text
DELETE FROM contact_lookup WHERE day < $1 AND account IN ( SELECT account FROM contact_lookup WHERE day < $2 ORDER BY day, account LIMIT $3) -- integer, integer, integer
DELETE FROM contact_mention WHERE contact = $1 -- text
DELETE FROM contact_mention WHERE owner = $1 AND capture = $2 AND contact = $3 -- text, text, text
DELETE FROM contact_name WHERE owner = $1 AND (owner, name) IN ( SELECT owner, name FROM contact_name WHERE owner = $2 ORDER BY name LIMIT $3) -- text, text, integer
DELETE FROM cove_announcement WHERE actor = $1 -- text
DELETE FROM cove_calendar_link WHERE account = $1 -- text
DELETE FROM cove_invite WHERE id IN ( SELECT old.id FROM cove_invite AS old WHERE old.expires_at <= $1 ORDER BY old.expires_at, old.id LIMIT $2) RETURNING id, sender, row_bytes -- integer, integer
DELETE FROM cove_invite WHERE id IN ( SELECT old.id FROM cove_invite AS old WHERE old.sender = $1 ORDER BY old.created_at, old.id LIMIT $2) -- text, integer
DELETE FROM cove_invite WHERE phone = $1 RETURNING id, sender, row_bytes -- text
DELETE FROM cove_member WHERE account = $1 -- text
DELETE FROM cove_member WHERE id IN ( SELECT member.id FROM cove_member AS member WHERE member.account = $1 ORDER BY member.joined_at, member.cove LIMIT $2) -- text, integer
DELETE FROM cove_removal WHERE account = $1 -- text
DELETE FROM cove_rsvp WHERE account = $1 -- text
DELETE FROM deleted_identity WHERE deleted_at < $1 -- integer
DELETE FROM engine_call WHERE id IN (SELECT id FROM engine_call WHERE at < $1 ORDER BY at, id LIMIT $2) -- integer, integer
DELETE FROM engine_call WHERE owner = $1 -- text
DELETE FROM event WHERE account = $1 -- text
DELETE FROM event_head WHERE account = $1 -- text
DELETE FROM idempotency WHERE (account, route, key) IN ( SELECT account, route, key FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2) RETURNING account, row_bytes -- integer, integer
DELETE FROM idempotency WHERE account = $1 -- text
DELETE FROM idempotency_resource WHERE account = $1 AND route = $2 AND key = $3 AND kind = $4 AND resource = $5 -- text, text, text, text, text
DELETE FROM identity WHERE account = $1 -- text
DELETE FROM identity WHERE issuer = $1 AND subject = $2 AND account = $3 -- text, text, text
DELETE FROM invitation WHERE expires_at < $1 -- integer
DELETE FROM job WHERE id = $1 AND attempt = $2 AND state = 'running' -- text, integer
DELETE FROM job WHERE owner = $1 -- text
DELETE FROM media WHERE id = $1 AND owner = $2 -- text, text
DELETE FROM media WHERE id = $1 AND owner = $2 RETURNING row_bytes -- text, text
DELETE FROM media_tag WHERE media = $1 -- text
DELETE FROM media_usage WHERE account = $1 -- text
DELETE FROM media_variant WHERE parent = $1 AND spec = $2 -- text, text
DELETE FROM media_variant WHERE parent = $1 RETURNING blob -- text
DELETE FROM media_variant WHERE parent IN ( SELECT key FROM blob WHERE owner = $1) -- text
DELETE FROM moment WHERE id = $1 AND owner = $2 -- text, text
DELETE FROM moment WHERE id = $1 AND owner = $2 RETURNING row_bytes -- text, text
DELETE FROM moment_tag WHERE moment = $1 -- text
DELETE FROM node WHERE id = $1 -- text
DELETE FROM node WHERE seen_at < $1 -- integer
DELETE FROM password_reset WHERE account = $1 -- text
DELETE FROM password_reset WHERE expires_at < $1 -- integer
DELETE FROM password_reset WHERE hash = $1 AND expires_at > $2 RETURNING account -- text, integer
DELETE FROM profile WHERE account = $1 -- text
DELETE FROM rate_bucket WHERE key IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) -- text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text
DELETE FROM rate_bucket WHERE key IN (SELECT key FROM rate_bucket WHERE full_at <= $1 ORDER BY full_at LIMIT $2) -- integer, integer
DELETE FROM refresh_token WHERE expires_at < $1 -- integer
DELETE FROM report WHERE reporter = $1 -- text
DELETE FROM search_document WHERE owner = $1 AND kind = $2 AND id = $3 RETURNING number -- text, text, text
DELETE FROM search_forgotten WHERE number = $1 -- integer
DELETE FROM search_forgotten WHERE number IN (SELECT number FROM search_forgotten ORDER BY number LIMIT 500)
DELETE FROM search_word WHERE rowid = $1 -- integer
DELETE FROM search_word WHERE rowid IN (SELECT number FROM search_forgotten ORDER BY number LIMIT 500)
DELETE FROM session WHERE account = $1 -- text
DELETE FROM session WHERE expires_at < $1 -- integer
DELETE FROM session_cookie WHERE expires_at < $1 -- integer
DELETE FROM session_cookie WHERE hash IN ( SELECT hash FROM session_cookie WHERE session = $1 ORDER BY created_at DESC, hash LIMIT 1000 OFFSET $2) -- text, integer
DELETE FROM session_cookie WHERE session = $1 -- text
DELETE FROM upload WHERE id = $1 AND owner = $2 AND epoch = $3 -- text, text, integer
DELETE FROM upload WHERE id IN (SELECT id FROM upload WHERE created_at < $1 ORDER BY created_at LIMIT $2) -- integer, integer
DELETE FROM upload_reservation WHERE id = $1 AND owner = $2 RETURNING byte_count -- text, text
DELETE FROM upload_reservation WHERE owner = $1 -- text
DELETE FROM used_nonce WHERE expires_at < $1 -- integer
INSERT INTO account (id, created_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING -- text, integer
INSERT INTO account (id, email, name, is_admin, is_pro, created_at, suspended_at, outside_engines, time_zone) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING id -- text, text, null, integer, integer, integer, null, integer, null
INSERT INTO account (id, email, name, is_admin, is_pro, created_at, suspended_at, outside_engines, time_zone, password_hash, credential_set_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (email) DO NOTHING RETURNING id -- text, text, text, integer, integer, integer, null, integer, null, text, integer
INSERT INTO blob (key, owner, sha256, byte_count, refs, state, dead_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) -- text, text, text, integer, integer, text, null, integer
INSERT INTO capsule (id, owner, status, duration_us, byte_count, created_at, updated_at, media, sha256, waveform, language, engine, summary, topics, transcript_size, row_bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) -- text, text, text, integer, integer, integer, integer, null, null, null, null, null, null, text, integer, integer
INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, photo_media, photo_url, audio_media, audio_url, sent, transcription, transcription_engine, analysis, error, version, created_at, row_bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) ON CONFLICT (owner, id) DO NOTHING RETURNING owner, id -- text, text, integer, text, text, integer, integer, text, text, text, null, null, text, text, text, null, null, integer, integer, integer
INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, photo_media, photo_url, audio_media, audio_url, sent, transcription, transcription_engine, analysis, error, version, created_at, row_bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20), ($21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40), ($41, $42, $43, $44, $45, $46, $47, $48, $49, $50, $51, $52, $53, $54, $55, $56, $57, $58, $59, $60), ($61, $62, $63, $64, $65, $66, $67, $68, $69, $70, $71, $72, $73, $74, $75, $76, $77, $78, $79, $80) ON CONFLICT (owner, id) DO NOTHING RETURNING owner, id -- text, text, integer, text, text, integer, integer, text, null, null, null, null, text, text, text, null, null, integer, integer, integer, text, text, integer, text, text, integer, integer, text, null, null, null, null, text, text, text, null, null, integer, integer, integer, text, text, integer, text, text, integer, integer, text, null, null, null, null, text, text, text, null, null, integer, integer, integer, text, text, integer, text, text, integer, integer, text, null, null, null, null, text, text, text, null, null, integer, integer, integer
INSERT INTO capture_day (owner, day, zone, changed, condensed, is_scheduled, row_bytes) VALUES ($1, $2, $3, 1, 0, 0, 0) ON CONFLICT (owner, day) DO UPDATE SET changed = capture_day.changed + 1, zone = excluded.zone -- text, text, text
INSERT INTO capture_file (owner, capture, kind, media, type) VALUES ($1, $2, $3, $4, $5) -- text, text, text, text, text
INSERT INTO capture_hour (owner, day, start, hour, zone, changed, condensed, is_scheduled, row_bytes) VALUES ($1, $2, $3, $4, $5, 1, 0, 0, 0) ON CONFLICT (owner, day, start, hour) DO UPDATE SET changed = capture_hour.changed + 1 -- text, text, integer, integer, text
INSERT INTO capture_tombstone (hash, owner, expires_at) VALUES ($1, $2, $3) -- text, text, integer
INSERT INTO capture_tombstone (hash, owner, expires_at) VALUES ($1, $2, $3) ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at -- text, text, integer
INSERT INTO contact (id, owner, name, relationship, notes, face_capture, first_seen, last_seen, mention_count, by_user, merged_into, row_bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) -- text, text, text, null, null, null, integer, integer, integer, integer, null, integer
INSERT INTO contact_lookup (account, day, numbers) VALUES ($1, $2, $3) ON CONFLICT (account) DO UPDATE SET day = excluded.day, numbers = excluded.numbers -- text, integer, bytes
INSERT INTO contact_mention (owner, capture, contact, at) SELECT owner, capture, $1, at FROM contact_mention WHERE contact = $2 ON CONFLICT DO NOTHING -- text, text
INSERT INTO contact_mention (owner, capture, contact, at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING -- text, text, text, integer
INSERT INTO contact_name (owner, name, contact) VALUES ($1, $2, $3) ON CONFLICT (owner, name) DO UPDATE SET contact = excluded.contact -- text, text, text
INSERT INTO contact_pin (owner, capture, name, contact) VALUES ($1, $2, $3, $4) ON CONFLICT (owner, capture, name) DO UPDATE SET contact = excluded.contact -- text, text, text, text
INSERT INTO deleted_identity (identity, deleted_at) VALUES ($1, $2) ON CONFLICT (identity) DO UPDATE SET deleted_at = excluded.deleted_at -- text, integer
INSERT INTO deletion_log (hash, deleted_at) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET deleted_at = excluded.deleted_at -- text, integer
INSERT INTO engine_call (id, owner, at, engine, purpose, model, host, sent_bytes, received_bytes, milliseconds, outcome) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) -- text, text, integer, text, text, text, text, integer, null, null, text
INSERT INTO event (account, seq, at, kind, payload) SELECT event_head.account, event_head.seq - emitted.column2, event_head.at, emitted.column3, emitted.column4 FROM (VALUES ($1, $2, $3, $4)) AS emitted CROSS JOIN event_head WHERE event_head.account = emitted.column1 -- text, integer, text, text
INSERT INTO event (account, seq, at, kind, payload) SELECT event_head.account, event_head.seq - emitted.column2, event_head.at, emitted.column3, emitted.column4 FROM (VALUES ($1, $2, $3, $4), ($5, $6, $7, $8), ($9, $10, $11, $12), ($13, $14, $15, $16)) AS emitted CROSS JOIN event_head WHERE event_head.account = emitted.column1 -- text, integer, text, text, text, integer, text, text, text, integer, text, text, text, integer, text, text
INSERT INTO event_head (account, seq, at) VALUES ($1, $2, $3) ON CONFLICT (account) DO UPDATE SET seq = event_head.seq + excluded.seq, at = CASE WHEN event_head.at > excluded.at THEN event_head.at ELSE excluded.at END -- text, integer, integer
INSERT INTO idempotency (attempt, lease_until, fingerprint, answer, created_at, row_bytes, resources_left, account, route, key) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING -- integer, integer, null, null, integer, null, null, text, text, text
INSERT INTO idempotency_resource (account, route, key, kind, resource) VALUES ($1, $2, $3, $4, $5) -- text, text, text, text, text
INSERT INTO identity (issuer, subject, email, created_at, linked_at, account) VALUES ($1, $2, $3, $4, $5, $6) -- text, text, text, integer, integer, text
INSERT INTO job (id, kind, key, owner, state, attempt, tries, lost, run_at, lease_until, worker, error, created_at, payload) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) -- text, text, null, text, text, integer, integer, integer, integer, null, null, null, integer, text
INSERT INTO job (id, kind, key, owner, state, attempt, tries, lost, run_at, lease_until, worker, error, created_at, payload) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (kind, key) WHERE key IS NOT NULL DO NOTHING -- text, text, text, text, text, integer, integer, integer, integer, null, null, null, integer, text
INSERT INTO job (id, kind, key, owner, state, attempt, tries, lost, run_at, lease_until, worker, error, created_at, payload) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14), ($15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28), ($29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42), ($43, $44, $45, $46, $47, $48, $49, $50, $51, $52, $53, $54, $55, $56) -- text, text, null, text, text, integer, integer, integer, integer, null, null, null, integer, text, text, text, null, text, text, integer, integer, integer, integer, null, null, null, integer, text, text, text, null, text, text, integer, integer, integer, integer, null, null, null, integer, text, text, text, null, text, text, integer, integer, integer, integer, null, null, null, integer, text
INSERT INTO media (id, owner, blob, name, type, sha256, byte_count, width, height, duration_ms, taken_at, category, title, description, tags, group_id, created_at, peaks, row_bytes, has_position) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) -- text, text, text, text, text, text, integer, integer, integer, integer, integer, text, text, text, text, text, integer, bytes, integer, integer
INSERT INTO media_tag (media, owner, tag, category, group_id, created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING -- text, text, text, text, text, integer
INSERT INTO media_usage (account, byte_count, file_count) VALUES ($1, 0, 0) ON CONFLICT DO NOTHING -- text
INSERT INTO media_variant (blob, type, sha256, byte_count, created_at, parent, spec) VALUES ($1, $2, $3, $4, $5, $6, $7) -- text, text, text, integer, integer, text, text
INSERT INTO moment (owner, id, kind, created_at, happened_at, category, group_id, tags, mood, title, note, reason, interests, intensity, location, voice_ms, pictures, voice, row_bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) -- text, text, text, integer, integer, text, text, text, text, text, text, text, text, integer, text, integer, text, text, integer
INSERT INTO moment_file (moment, position, role, media, owner) VALUES ($1, $2, $3, $4, $5) -- text, integer, text, text, text
INSERT INTO moment_tag (moment, owner, kind, tag, category, group_id, created_at, happened_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) -- text, text, text, text, text, text, integer, integer
INSERT INTO node (id, host, version, started_at, seen_at, requests, jobs) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO UPDATE SET host = excluded.host, seen_at = excluded.seen_at, requests = excluded.requests, jobs = excluded.jobs -- text, text, text, integer, integer, integer, integer
INSERT INTO password_reset (id, hash, account, created_at, expires_at) VALUES ($1, $2, $3, $4, $5) -- text, text, text, integer, integer
INSERT INTO profile (account, created_at, onboarded_at, name, birthdate, interests, latitude, longitude, bio, alma_mater, job, work_location, relation_status, sexuality, gender, city, grad_year, row_bytes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) ON CONFLICT (account) DO UPDATE SET onboarded_at = excluded.onboarded_at, name = excluded.name, birthdate = excluded.birthdate, interests = excluded.interests, latitude = excluded.latitude, longitude = excluded.longitude, bio = excluded.bio, alma_mater = excluded.alma_mater, job = excluded.job, work_location = excluded.work_location, relation_status = excluded.relation_status, sexuality = excluded.sexuality, gender = excluded.gender, city = excluded.city, grad_year = excluded.grad_year, row_bytes = excluded.row_bytes -- text, integer, integer, text, integer, text, real, real, text, text, text, text, text, text, text, text, text, integer
INSERT INTO profile (account, hidden, created_at) VALUES ($1, 1, $2) ON CONFLICT (account) DO UPDATE SET hidden = 1 -- text, integer
INSERT INTO profile_photo (account, id, media) VALUES ($1, $2, $3) -- text, text, text
INSERT INTO profile_picture (account, media) VALUES ($1, $2) -- text, text
INSERT INTO refresh_token (hash, session, created_at, expires_at) VALUES ($1, $2, $3, $4) -- text, text, integer, integer
INSERT INTO search_document (owner, kind, id, at, place, texts, tokens) VALUES ($1, $2, $3, $4, COALESCE((SELECT MAX(place) FROM search_document WHERE owner = $5), -1) + 1, $6, $7) ON CONFLICT (owner, kind, id) DO UPDATE SET at = excluded.at, texts = excluded.texts, tokens = excluded.tokens WHERE search_document.at <> excluded.at OR search_document.texts <> excluded.texts OR search_document.tokens <> excluded.tokens RETURNING number, place -- text, text, text, integer, text, text, text
INSERT INTO search_head (number, head) VALUES ($1, $2) ON CONFLICT (number) DO UPDATE SET head = excluded.head -- integer, text
INSERT INTO search_word (rowid, tokens) VALUES ($1, $2) -- integer, text
INSERT INTO server_secret (name, value, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING name -- text, bytes, integer
INSERT INTO session (id, account, method, user_agent, created_at, last_used_at, expires_at, authenticated_at, identity) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) -- text, text, text, text, integer, integer, integer, integer, text
INSERT INTO session_cookie (hash, session, user_agent, created_at, expires_at) VALUES ($1, $2, $3, $4, $5) -- text, text, text, integer, integer
INSERT INTO signing_key (kid, private_key, created_at, signs_from) VALUES ($1, $2, $3, $4) -- text, bytes, integer, integer
INSERT INTO upload_reservation (id, owner, byte_count, expires_at) VALUES ($1, $2, 0, $3) ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at -- text, text, integer
SELECT (SELECT place FROM search_document WHERE owner = $1 ORDER BY place LIMIT 1) AS first, (SELECT place FROM search_document WHERE owner = $2 ORDER BY place DESC LIMIT 1) AS last -- text, text
SELECT COALESCE(profile.name, '') AS name, CASE WHEN account.id = $1 THEN profile.latitude END AS latitude, CASE WHEN account.id = $2 THEN profile.longitude END AS longitude, CASE WHEN (account.id = $3 OR friendship.friend IS NOT NULL OR $4 = 1) THEN profile.bio END AS bio, CASE WHEN (account.id = $5 OR friendship.friend IS NOT NULL OR $6 = 1) THEN profile.interests END AS interests, CASE WHEN (account.id = $7 OR friendship.friend IS NOT NULL OR $8 = 1) THEN profile.alma_mater END AS alma_mater, CASE WHEN (account.id = $9 OR friendship.friend IS NOT NULL OR $10 = 1) THEN profile.job END AS job, CASE WHEN (account.id = $11 OR friendship.friend IS NOT NULL) THEN account.phone END AS phone, CASE WHEN (account.id = $12 OR friendship.friend IS NOT NULL) THEN profile.birthdate END AS birthdate, CASE WHEN (account.id = $13 OR friendship.friend IS NOT NULL) THEN profile.work_location END AS work_location, CASE WHEN (account.id = $14 OR friendship.friend IS NOT NULL) THEN profile.relation_status END AS relation_status, CASE WHEN (account.id = $15 OR friendship.friend IS NOT NULL) THEN profile.sexuality END AS sexuality, CASE WHEN (account.id = $16 OR friendship.friend IS NOT NULL) THEN profile.gender END AS gender, CASE WHEN (account.id = $17 OR friendship.friend IS NOT NULL) THEN profile.city END AS city, CASE WHEN (account.id = $18 OR friendship.friend IS NOT NULL) THEN profile.grad_year END AS grad_year, CASE WHEN (account.id = $19 OR friendship.friend IS NOT NULL) AND profile.onboarded_at IS NULL THEN 1 ELSE 0 END AS onboarding, CASE WHEN (account.id = $20 OR friendship.friend IS NOT NULL) THEN COALESCE(profile.friend_count, 0) ELSE 0 END AS friend_count, CASE WHEN (account.id = $21 OR friendship.friend IS NOT NULL) THEN COALESCE(profile.request_count, 0) ELSE 0 END AS request_count, CASE WHEN (account.id = $22 OR friendship.friend IS NOT NULL) THEN 1 ELSE 0 END AS sees_counts FROM account LEFT JOIN profile ON profile.account = account.id LEFT JOIN friendship ON friendship.account = $23 AND friendship.friend = account.id WHERE account.id = $24 AND account.closed_at IS NULL AND profile.hidden IS DISTINCT FROM 1 AND NOT EXISTS (SELECT 1 FROM block WHERE blocker = $25 AND blocked = account.id) AND NOT EXISTS (SELECT 1 FROM block WHERE blocker = account.id AND blocked = $26) -- text, text, text, integer, text, integer, text, integer, text, integer, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text
SELECT COUNT(*) AS blobs, CAST(COALESCE(SUM(byte_count), 0) AS BIGINT) AS bytes FROM blob WHERE state = 'live'
SELECT COUNT(*) AS count FROM cove_member JOIN cove ON cove.id = cove_member.cove WHERE cove_member.account = $1 AND cove.ended_at IS NULL -- text
SELECT COUNT(*) AS n FROM capture WHERE owner = $1 AND at >= $2 AND at < $3 AND day = $4 -- text, integer, integer, text
SELECT COUNT(*) AS n FROM password_reset WHERE account = $1 AND expires_at > $2 -- text, integer
SELECT COUNT(*) AS n, MIN(at) AS first, MAX(at) AS last FROM contact_mention WHERE contact = $1 -- text
SELECT DISTINCT blob AS key FROM media WHERE blob > $1 AND NOT EXISTS (SELECT 1 FROM blob WHERE blob.key = media.blob AND blob.state = 'live') ORDER BY blob LIMIT $2 -- text, integer
SELECT DISTINCT blob AS key FROM media_variant WHERE blob > $1 AND NOT EXISTS (SELECT 1 FROM blob WHERE blob.key = media_variant.blob AND blob.state = 'live') ORDER BY blob LIMIT $2 -- text, integer
SELECT MIN(lease_until) AS lease_until FROM job WHERE state = 'running' AND kind IN ($1, $2, $3, $4) -- text, text, text, text
SELECT account, issuer, subject FROM identity WHERE account IN ($1) -- text
SELECT account, seq FROM event_head WHERE account IN ($1) -- text
SELECT account, seq, (SELECT event.seq FROM event WHERE event.account = event_head.account ORDER BY event.seq LIMIT 1) AS oldest FROM event_head WHERE seq > $1 AND account > $2 ORDER BY account LIMIT $3 -- integer, text, integer
SELECT account.email, password_reset.expires_at FROM password_reset JOIN account ON account.id = password_reset.account WHERE password_reset.id = $1 AND password_reset.expires_at > $2 -- text, integer
SELECT account.id, account.email, account.name, account.is_admin, account.is_pro, account.created_at, account.suspended_at, account.outside_engines, account.time_zone FROM account WHERE id = $1 AND closed_at IS NULL -- text
SELECT account.id, account.email, account.name, account.is_admin, account.is_pro, account.created_at, account.suspended_at, account.outside_engines, account.time_zone, account.phone, account.phone_proved_at FROM identity JOIN account ON account.id = identity.account WHERE identity.issuer = $1 AND identity.subject = $2 -- text, text
SELECT account.id, account.email, account.name, account.is_admin, account.is_pro, account.created_at, account.suspended_at, account.outside_engines, account.time_zone, password_hash, credential_set_at FROM account WHERE email = $1 -- text
SELECT account.is_admin, account.suspended_at FROM session JOIN account ON account.id = session.account WHERE session.id = $1 AND session.account = $2 AND session.ended_at IS NULL AND account.closed_at IS NULL -- text, text
SELECT account.suspended_at FROM password_reset JOIN account ON account.id = password_reset.account WHERE password_reset.hash = $1 AND password_reset.expires_at > $2 -- text, integer
SELECT after, is_done FROM media_index_pass WHERE one = 1
SELECT after, is_done FROM row_pass WHERE kind = $1 -- text
SELECT at, account, seq FROM event WHERE at < $1 AND (at, account, seq) > ($2, $3, $4) ORDER BY at, account, seq LIMIT $5 -- integer, integer, text, integer, integer
SELECT authenticated_at FROM session WHERE id = $1 AND account = $2 -- text, text
SELECT blob AS key, COUNT(*) AS refs FROM media WHERE blob >= $1 AND blob <= $2 GROUP BY blob -- text, text
SELECT blob AS key, COUNT(*) AS refs FROM media_variant WHERE blob >= $1 AND blob <= $2 GROUP BY blob -- text, text
SELECT blob.key, blob.owner, blob.sha256, blob.byte_count, blob.refs, blob.state, blob.dead_at, blob.created_at FROM blob WHERE key = $1 -- text
SELECT blob.key, blob.owner, blob.sha256, blob.byte_count, blob.refs, blob.state, blob.dead_at, blob.created_at FROM blob WHERE state = 'live' AND key > $1 ORDER BY key LIMIT $2 -- text, integer
SELECT byte_count + row_bytes + reserved_bytes AS used FROM media_usage WHERE account = $1 -- text
SELECT byte_count, expires_at, id FROM upload_reservation WHERE owner = $1 ORDER BY id LIMIT $2 -- text, integer
SELECT byte_count, file_count, row_bytes, reserved_bytes, account FROM media_usage WHERE account = $1 AND account > $2 ORDER BY account LIMIT $3 -- text, text, integer
SELECT byte_count, file_count, row_bytes, reserved_bytes, account FROM media_usage WHERE account = $1 ORDER BY account LIMIT $2 -- text, integer
SELECT capsule, starts_ms, ends_ms, engine, language, text, words FROM capsule_segment WHERE owner = $1 ORDER BY capsule, starts_ms LIMIT $2 -- text, integer
SELECT capsule, text, words FROM capsule_transcript WHERE owner = $1 ORDER BY capsule LIMIT $2 -- text, integer
SELECT capsule.id, capsule.owner, capsule.status, capsule.duration_us, capsule.byte_count, capsule.created_at, capsule.updated_at, capsule.media, capsule.sha256, capsule.waveform, capsule.language, capsule.engine, capsule.summary, capsule.topics, capsule.transcript_size FROM capsule WHERE capsule.owner = $1 AND capsule.status <> 'uploading' ORDER BY capsule.created_at DESC, capsule.id DESC LIMIT $2 -- text, integer
SELECT capsule.id, capsule.owner, capsule.status, capsule.duration_us, capsule.byte_count, capsule.created_at, capsule.updated_at, capsule.media, capsule.sha256, capsule.waveform, capsule.language, capsule.engine, capsule.summary, capsule.topics, capsule.transcript_size FROM capsule WHERE id = $1 -- text
SELECT capsule.id, capsule.owner, capsule.status, capsule.duration_us, capsule.byte_count, capsule.created_at, capsule.updated_at, capsule.media, capsule.sha256, capsule.waveform, capsule.language, capsule.engine, capsule.summary, capsule.topics, capsule.transcript_size FROM capsule WHERE id = $1 AND owner = $2 -- text, text
SELECT capture, contact, at FROM contact_mention WHERE owner = $1 ORDER BY capture, contact LIMIT $2 -- text, integer
SELECT capture, contact, name FROM contact_pin WHERE owner = $1 ORDER BY capture, name LIMIT $2 -- text, integer
SELECT capture, kind, media, type FROM capture_file WHERE owner = $1 ORDER BY capture, kind LIMIT $2 -- text, integer
SELECT capture.owner, capture.id, capture.at, capture.zone, capture.day, capture.hour, capture.hour_start, capture.status, capture.photo_media, capture.photo_url, capture.audio_media, capture.audio_url, capture.sent, capture.transcription, capture.transcription_engine, capture.analysis, capture.error, capture.version, capture.created_at, capture.row_bytes FROM capture JOIN contact_mention ON contact_mention.owner = capture.owner AND contact_mention.capture = capture.id WHERE contact_mention.contact = $1 AND contact_mention.owner = $2 ORDER BY contact_mention.at DESC, contact_mention.capture DESC LIMIT $3 -- text, text, integer
SELECT capture.owner, capture.id, capture.at, capture.zone, capture.day, capture.hour, capture.hour_start, capture.status, capture.photo_media, capture.photo_url, capture.audio_media, capture.audio_url, capture.sent, capture.transcription, capture.transcription_engine, capture.analysis, capture.error, capture.version, capture.created_at, capture.row_bytes FROM capture WHERE capture.owner = $1 AND capture.at >= $2 AND capture.at < $3 AND capture.day = $4 ORDER BY capture.at DESC, capture.id DESC LIMIT $5 -- text, integer, integer, text, integer
SELECT capture.owner, capture.id, capture.at, capture.zone, capture.day, capture.hour, capture.hour_start, capture.status, capture.photo_media, capture.photo_url, capture.audio_media, capture.audio_url, capture.sent, capture.transcription, capture.transcription_engine, capture.analysis, capture.error, capture.version, capture.created_at, capture.row_bytes FROM capture WHERE capture.owner = $1 ORDER BY capture.at DESC, capture.id DESC LIMIT $2 -- text, integer
SELECT capture.owner, capture.id, capture.at, capture.zone, capture.day, capture.hour, capture.hour_start, capture.status, capture.photo_media, capture.photo_url, capture.audio_media, capture.audio_url, capture.sent, capture.transcription, capture.transcription_engine, capture.analysis, capture.error, capture.version, capture.created_at, capture.row_bytes FROM capture WHERE owner = $1 AND at >= $2 AND at < $3 AND day = $4 ORDER BY at, id LIMIT $5 -- text, integer, integer, text, integer
SELECT capture.owner, capture.id, capture.at, capture.zone, capture.day, capture.hour, capture.hour_start, capture.status, capture.photo_media, capture.photo_url, capture.audio_media, capture.audio_url, capture.sent, capture.transcription, capture.transcription_engine, capture.analysis, capture.error, capture.version, capture.created_at, capture.row_bytes FROM capture WHERE owner = $1 AND at >= $2 AND at < $3 AND hour_start = $4 AND day = $5 AND hour = $6 ORDER BY at, id LIMIT $7 -- text, integer, integer, integer, text, integer, integer
SELECT capture.owner, capture.id, capture.at, capture.zone, capture.day, capture.hour, capture.hour_start, capture.status, capture.photo_media, capture.photo_url, capture.audio_media, capture.audio_url, capture.sent, capture.transcription, capture.transcription_engine, capture.analysis, capture.error, capture.version, capture.created_at, capture.row_bytes FROM capture WHERE owner = $1 AND id = $2 -- text, text
SELECT capture.owner, capture.id, capture.at, capture.zone, capture.day, capture.hour, capture.hour_start, capture.status, capture.photo_media, capture.photo_url, capture.audio_media, capture.audio_url, capture.sent, capture.transcription, capture.transcription_engine, capture.analysis, capture.error, capture.version, capture.created_at, capture.row_bytes FROM capture WHERE owner = $1 AND id IN ($2) -- text, text
SELECT capture.owner, capture.id, capture.at, capture.zone, capture.day, capture.hour, capture.hour_start, capture.status, capture.photo_media, capture.photo_url, capture.audio_media, capture.audio_url, capture.sent, capture.transcription, capture.transcription_engine, capture.analysis, capture.error, capture.version, capture.created_at, capture.row_bytes FROM capture WHERE owner = $1 AND id IN ($2, $3, $4, $5) -- text, text, text, text, text
SELECT capture_file.owner, capture_file.capture, capture_file.kind, capture_file.media, capture_file.type FROM capture_file WHERE owner = $1 AND capture = $2 AND kind = $3 -- text, text, text
SELECT capture_file.owner, capture_file.capture, capture_file.kind, capture_file.media, capture_file.type FROM capture_file WHERE owner = $1 AND capture IN ($2) -- text, text
SELECT capture_file.owner, capture_file.capture, capture_file.kind, capture_file.media, capture_file.type FROM capture_file WHERE owner = $1 AND capture IN ($2, $3, $4, $5) -- text, text, text, text, text
SELECT changed FROM capture_day WHERE owner = $1 AND day = $2 -- text, text
SELECT changed FROM capture_hour WHERE owner = $1 AND day = $2 AND start = $3 AND hour = $4 -- text, text, integer, integer
SELECT changed, row_bytes FROM capture_day WHERE owner = $1 AND day = $2 -- text, text
SELECT changed, row_bytes FROM capture_hour WHERE owner = $1 AND day = $2 AND start = $3 AND hour = $4 -- text, text, integer, integer
SELECT contact FROM contact_mention WHERE owner = $1 AND capture = $2 -- text, text
SELECT contact FROM contact_name WHERE owner = $1 AND name = $2 -- text, text
SELECT contact, name FROM contact_name WHERE owner = $1 ORDER BY name LIMIT $2 -- text, integer
SELECT contact.id, contact.owner, contact.name, contact.relationship, contact.notes, contact.face_capture, contact.first_seen, contact.last_seen, contact.mention_count, contact.by_user, contact.merged_into, contact.row_bytes FROM contact WHERE contact.owner = $1 AND contact.merged_into IS NULL ORDER BY contact.last_seen DESC, contact.id DESC LIMIT $2 -- text, integer
SELECT contact.id, contact.owner, contact.name, contact.relationship, contact.notes, contact.face_capture, contact.first_seen, contact.last_seen, contact.mention_count, contact.by_user, contact.merged_into, contact.row_bytes FROM contact WHERE id IN ($1) AND owner = $2 -- text, text
SELECT contact.id, contact.owner, contact.name, contact.relationship, contact.notes, contact.face_capture, contact.first_seen, contact.last_seen, contact.mention_count, contact.by_user, contact.merged_into, contact.row_bytes FROM contact WHERE id IN ($1, $2, $3, $4) AND owner = $5 -- text, text, text, text, text
SELECT contact_mention.contact, COUNT(*) AS n FROM capture JOIN contact_mention ON contact_mention.owner = capture.owner AND contact_mention.capture = capture.id WHERE capture.owner = $1 AND capture.at >= $2 AND capture.at < $3 AND capture.day = $4 GROUP BY contact_mention.contact ORDER BY n DESC, contact_mention.contact LIMIT 20 -- text, integer, integer, text
SELECT contact_mention.contact, COUNT(*) AS n FROM capture JOIN contact_mention ON contact_mention.owner = capture.owner AND contact_mention.capture = capture.id WHERE capture.owner = $1 AND capture.at >= $2 AND capture.at < $3 AND capture.hour_start = $4 AND capture.day = $5 AND capture.hour = $6 GROUP BY contact_mention.contact ORDER BY n DESC, contact_mention.contact LIMIT 20 -- text, integer, integer, integer, text, integer
SELECT content FROM capture_day WHERE owner = $1 AND day = $2 -- text, text
SELECT content FROM capture_hour WHERE owner = $1 AND day = $2 AND start = $3 AND hour = $4 -- text, text, integer, integer
SELECT cove, COUNT(*) AS count FROM cove_event WHERE host = $1 AND COALESCE(ended_at, -1) = -1 GROUP BY cove -- text
SELECT cove, kind, payload, created_at, id FROM cove_announcement WHERE actor = $1 ORDER BY id LIMIT $2 -- text, integer
SELECT cove, removed_at FROM cove_removal WHERE account = $1 ORDER BY cove LIMIT $2 -- text, integer
SELECT cove, version FROM cove_calendar WHERE cove IN ( SELECT id FROM cove WHERE creator = $1) ORDER BY cove LIMIT $2 -- text, integer
SELECT cove.id, cove.creator, cove.name, cove.description, cove.location, cove.cover, cove.cover_owner, cove.joining, cove.member_count, cove.event_count, cove.created_at FROM cove WHERE cove.creator = $1 AND cove.ended_at IS NULL ORDER BY cove.created_at, cove.id -- text
SELECT cove_member.cove FROM cove_member JOIN cove ON cove.id = cove_member.cove WHERE cove_member.account = $1 AND cove.ended_at IS NULL -- text
SELECT created_at, account FROM cove_calendar_link WHERE account = $1 ORDER BY account LIMIT $2 -- text, integer
SELECT created_at, expires_at, id FROM password_reset WHERE account = $1 ORDER BY id LIMIT $2 -- text, integer
SELECT created_at, expires_at, used_at, hash FROM invitation WHERE account = $1 ORDER BY hash LIMIT $2 -- text, integer
SELECT credential_set_at FROM account WHERE id = $1 -- text
SELECT d.kind, d.id, d.at, COALESCE((SELECT h.head FROM search_head AS h WHERE h.number = d.number), substr(d.tokens, 1, 2000)) AS head FROM search_document AS d WHERE d.number IN ( SELECT rowid FROM search_word WHERE search_word MATCH $1 LIMIT $2) AND d.owner || '' = $3 AND d.place + 0 <= $4 LIMIT $5 -- text, integer, text, integer, integer
SELECT day, account FROM contact_lookup WHERE account = $1 AND account > $2 ORDER BY account LIMIT $3 -- text, text, integer
SELECT day, account FROM contact_lookup WHERE account = $1 ORDER BY account LIMIT $2 -- text, integer
SELECT day, content FROM capture_day WHERE owner = $1 AND content IS NOT NULL ORDER BY day DESC LIMIT $2 -- text, integer
SELECT day, start, hour, zone, content FROM capture_hour WHERE owner = $1 AND day = $2 AND content IS NOT NULL ORDER BY start, hour LIMIT 200 -- text, text
SELECT day, start, hour, zone, content, condensed_at, row_bytes FROM capture_hour WHERE owner = $1 ORDER BY day, start, hour LIMIT $2 -- text, integer
SELECT day, zone, content, condensed_at, row_bytes FROM capture_day WHERE owner = $1 ORDER BY day LIMIT $2 -- text, integer
SELECT deleted_at FROM deleted_identity WHERE identity = $1 -- text
SELECT event.seq, event.at, event.kind, event.payload FROM event WHERE account = $1 AND seq > $2 ORDER BY seq LIMIT $3 -- text, integer, integer
SELECT expires_at, hash FROM capture_tombstone WHERE owner = $1 ORDER BY hash LIMIT $2 -- text, integer
SELECT friend_request.id, friend_request.sender, friend_request.recipient, friend_request.created_at, friend_request.status, friend_request.resolved_at, friend_request.friendship FROM friend_request WHERE friend_request.recipient = $1 ORDER BY friend_request.sender LIMIT $2 -- text, integer
SELECT friend_request.id, friend_request.sender, friend_request.recipient, friend_request.created_at, friend_request.status, friend_request.resolved_at, friend_request.friendship FROM friend_request WHERE friend_request.resolved_at < $1 ORDER BY friend_request.resolved_at, friend_request.id LIMIT $2 -- integer, integer
SELECT friend_request.id, friend_request.sender, friend_request.recipient, friend_request.created_at, friend_request.status, friend_request.resolved_at, friend_request.friendship FROM friend_request WHERE friend_request.sender = $1 ORDER BY friend_request.recipient LIMIT $2 -- text, integer
SELECT full_at, key FROM rate_bucket WHERE key IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) ORDER BY key LIMIT $22 -- text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, integer
SELECT hash FROM capture_tombstone WHERE hash IN ($1) -- text
SELECT hash FROM capture_tombstone WHERE hash IN ($1, $2, $3, $4) -- text, text, text, text
SELECT hidden FROM profile WHERE account = $1 -- text
SELECT id FROM account WHERE id IN ($1) AND closed_at IS NULL AND suspended_at IS NULL -- text
SELECT id FROM blob_hold WHERE expires_at > $1 LIMIT 1 -- integer
SELECT id FROM block WHERE blocked = $1 ORDER BY blocker LIMIT $2 -- text, integer
SELECT id FROM block WHERE blocker = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id FROM capsule WHERE id > $1 ORDER BY id LIMIT $2 -- text, integer
SELECT id FROM capsule WHERE owner = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id FROM capture WHERE owner = $1 AND at >= $2 AND at < $3 AND day = $4 ORDER BY at, id LIMIT $5 -- text, integer, integer, text, integer
SELECT id FROM capture WHERE owner = $1 AND at >= $2 AND at < $3 ORDER BY at, id LIMIT $4 -- text, integer, integer, integer
SELECT id FROM capture WHERE owner = $1 ORDER BY at, id LIMIT $2 -- text, integer
SELECT id FROM friendship WHERE account = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id FROM media WHERE id > $1 ORDER BY id LIMIT $2 -- text, integer
SELECT id FROM moment WHERE id > $1 ORDER BY id LIMIT $2 -- text, integer
SELECT id FROM moment WHERE owner = $1 ORDER BY happened_at, id LIMIT $2 -- text, integer
SELECT id FROM session WHERE account = $1 AND ended_at IS NULL -- text
SELECT id, at, engine, purpose, model, host, sent_bytes, received_bytes, milliseconds, outcome FROM engine_call WHERE owner = $1 ORDER BY at, id LIMIT $2 -- text, integer
SELECT id, at, zone, day, hour, hour_start, status, photo_media, photo_url, audio_media, audio_url, transcription, transcription_engine, analysis, error, version, created_at, row_bytes FROM capture WHERE owner = $1 ORDER BY at, id LIMIT $2 -- text, integer
SELECT id, attempt, kind, tries, lost, worker, owner, payload FROM job WHERE state = 'running' AND kind IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) AND lease_until <= $22 ORDER BY lease_until, id LIMIT $23 -- text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, integer, integer
SELECT id, blob FROM media WHERE owner = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id, blocked, created_at FROM block WHERE blocker = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id, cove, host, cover, cover_owner, row_bytes, ended_at FROM cove_event WHERE ended_at <= $1 ORDER BY ended_at, id LIMIT $2 -- integer, integer
SELECT id, cove, host, cover, cover_owner, row_bytes, ended_at FROM cove_event WHERE host = $1 AND ended_at <= 1 ORDER BY id LIMIT $2 -- text, integer
SELECT id, cove, name, description, date, location, cover, going_count, created_at, changed_at, ended_at, row_bytes FROM cove_event WHERE host = $1 ORDER BY id LIMIT $2 -- text, integer
SELECT id, cove, phone, message, is_opened, created_at, expires_at, row_bytes FROM cove_invite WHERE sender = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id, cove, role, is_creator, is_acting, joined_at FROM cove_member WHERE account = $1 ORDER BY joined_at, cove LIMIT $2 -- text, integer
SELECT id, created_at, method, user_agent, last_used_at, expires_at, ended_at, authenticated_at FROM session WHERE account = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4 -- text, integer, text, integer
SELECT id, created_at, method, user_agent, last_used_at, expires_at, ended_at, authenticated_at FROM session WHERE account = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id, creator, row_bytes FROM cove WHERE creator = $1 AND ended_at IS NOT NULL ORDER BY created_at, id LIMIT 1 -- text
SELECT id, creator, row_bytes FROM cove WHERE ended_at < $1 ORDER BY ended_at, id LIMIT 1 -- integer
SELECT id, email, name, is_admin, is_pro, created_at, closed_at, credential_set_at, phone, phone_proved_at, verified_at, suspended_at, outside_engines, time_zone FROM account WHERE id = $1 AND id > $2 ORDER BY id LIMIT $3 -- text, text, integer
SELECT id, email, name, is_admin, is_pro, created_at, closed_at, credential_set_at, phone, phone_proved_at, verified_at, suspended_at, outside_engines, time_zone FROM account WHERE id = $1 ORDER BY id LIMIT $2 -- text, integer
SELECT id, email, name, phone, is_admin, created_at, verified_at, suspended_at FROM account WHERE id = $1 AND closed_at IS NULL -- text
SELECT id, event, cove, status, created_at FROM cove_rsvp WHERE account = $1 ORDER BY cove, event LIMIT $2 -- text, integer
SELECT id, friend, created_at FROM friendship WHERE account = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id, kind, created_at, happened_at, category, group_id, tags, mood, title, note, reason, interests, intensity, location, voice_ms, pictures, voice, row_bytes FROM moment WHERE owner = $1 AND (happened_at, id) > ($2, $3) ORDER BY happened_at, id LIMIT $4 -- text, integer, text, integer
SELECT id, kind, created_at, happened_at, category, group_id, tags, mood, title, note, reason, interests, intensity, location, voice_ms, pictures, voice, row_bytes FROM moment WHERE owner = $1 ORDER BY happened_at, id LIMIT $2 -- text, integer
SELECT id, kind, payload, state, run_at, created_at FROM job WHERE owner = $1 ORDER BY id LIMIT $2 -- text, integer
SELECT id, kind, subject, reason, created_at, resolved_at FROM report WHERE reporter = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id, media FROM profile_photo WHERE account = $1 AND id > $2 ORDER BY id LIMIT $3 -- text, text, integer
SELECT id, media FROM profile_photo WHERE account = $1 ORDER BY id LIMIT $2 -- text, integer
SELECT id, method, user_agent, created_at, last_used_at, expires_at FROM session WHERE account = $1 AND ended_at IS NULL AND expires_at > $2 ORDER BY created_at DESC LIMIT $3 -- text, integer, integer
SELECT id, name, blob, byte_count, created_at FROM media WHERE owner = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4 -- text, integer, text, integer
SELECT id, name, blob, byte_count, created_at FROM media WHERE owner = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id, name, description, location, cover, joining, member_count, event_count, row_bytes, created_at, ended_at FROM cove WHERE creator = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id, name, relationship, notes, face_capture, first_seen, last_seen, mention_count, by_user, merged_into, row_bytes FROM contact WHERE owner = $1 ORDER BY id LIMIT $2 -- text, integer
SELECT id, name, type, sha256, byte_count, category, title, description, tags, group_id, created_at, width, height, duration_ms, taken_at, peaks, row_bytes, has_position FROM media WHERE owner = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4 -- text, integer, text, integer
SELECT id, name, type, sha256, byte_count, category, title, description, tags, group_id, created_at, width, height, duration_ms, taken_at, peaks, row_bytes, has_position FROM media WHERE owner = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id, owner FROM upload_reservation WHERE expires_at < $1 ORDER BY expires_at, id LIMIT $2 -- integer, integer
SELECT id, phone_proved_at FROM account WHERE phone = $1 -- text
SELECT id, purpose, offset_bytes, created_at FROM upload WHERE owner = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id, recipient, created_at FROM friend_request WHERE sender = $1 ORDER BY recipient LIMIT $2 -- text, integer
SELECT id, state FROM upload WHERE owner = $1 ORDER BY created_at LIMIT $2 -- text, integer
SELECT id, status, duration_us, byte_count, created_at, updated_at, media, sha256, waveform, language, engine, summary, topics, failure, row_bytes FROM capsule WHERE owner = $1 ORDER BY created_at, id LIMIT $2 -- text, integer
SELECT id, substr(texts, 1, CAST($1 AS INTEGER)) AS texts FROM search_document WHERE owner = $2 AND kind = $3 AND id IN ($4) -- integer, text, text, text
SELECT id, substr(texts, 1, CAST($1 AS INTEGER)) AS texts FROM search_document WHERE owner = $2 AND kind = $3 AND id IN ($4, $5, $6, $7) -- integer, text, text, text, text, text, text
SELECT id, time_zone FROM account WHERE id IN ($1) AND closed_at IS NULL AND suspended_at IS NULL -- text
SELECT id, time_zone FROM account WHERE id IN ($1, $2, $3, $4) AND closed_at IS NULL AND suspended_at IS NULL -- text, text, text, text
SELECT idempotency.attempt, idempotency.lease_until, idempotency.fingerprint, idempotency.answer, idempotency.created_at, idempotency.row_bytes, idempotency.resources_left FROM idempotency WHERE account = $1 AND route = $2 AND key = $3 -- text, text, text
SELECT identity.issuer, identity.subject, identity.email, identity.created_at, identity.linked_at FROM identity WHERE account = $1 ORDER BY created_at, issuer, subject -- text
SELECT issuer, subject, email, created_at, linked_at FROM identity WHERE account = $1 ORDER BY created_at, issuer, subject LIMIT $2 -- text, integer
SELECT key FROM blob WHERE key IN ($1) -- text
SELECT key FROM blob WHERE key IN ($1, $2, $3, $4) -- text, text, text, text
SELECT key FROM blob WHERE owner = $1 AND state = 'dead' ORDER BY key LIMIT $2 -- text, integer
SELECT key, dead_at FROM blob WHERE state = 'dead' AND dead_at < $1 AND (dead_at, key) > ($2, $3) ORDER BY dead_at, key LIMIT $4 -- integer, integer, text, integer
SELECT kind, id FROM search_document WHERE owner = $1 ORDER BY kind, id LIMIT $2 -- text, integer
SELECT kind, id, at, texts FROM search_document WHERE owner = $1 AND (kind, id) > ($2, $3) ORDER BY kind, id LIMIT $4 -- text, text, text, integer
SELECT kind, id, at, texts FROM search_document WHERE owner = $1 ORDER BY kind, id LIMIT $2 -- text, integer
SELECT kind, run_at, id FROM ( SELECT kind, run_at, id FROM job WHERE state = 'ready' AND kind = $1 ORDER BY run_at, id LIMIT $2) AS head UNION ALL SELECT kind, run_at, id FROM ( SELECT kind, run_at, id FROM job WHERE state = 'ready' AND kind = $3 ORDER BY run_at, id LIMIT $4) AS head -- text, integer, text, integer
SELECT kind, source, stage FROM transfer
SELECT media, account FROM profile_picture WHERE account = $1 AND account > $2 ORDER BY account LIMIT $3 -- text, text, integer
SELECT media, account FROM profile_picture WHERE account = $1 ORDER BY account LIMIT $2 -- text, integer
SELECT media, tag, category, group_id, created_at FROM media_tag WHERE owner = $1 ORDER BY tag, created_at, media LIMIT $2 -- text, integer
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media JOIN account ON account.id = media.owner WHERE media.id = $1 AND media.owner = $2 AND account.closed_at IS NULL AND account.suspended_at IS NULL -- text, text
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media WHERE id = $1 -- text
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media WHERE id = $1 AND owner = $2 -- text, text
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media WHERE id IN ($1) AND owner = $2 -- text, text
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media WHERE id IN ($1, $2, $3, $4) AND owner = $5 -- text, text, text, text, text
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media WHERE media.id IN ($1) AND media.owner = $2 -- text, text
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media WHERE media.id IN ($1, $2, $3, $4) AND media.owner = $5 -- text, text, text, text, text
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media WHERE owner = $1 AND (media.created_at, media.id) < ($2, $3) ORDER BY media.created_at DESC, media.id DESC LIMIT $4 -- text, integer, text, integer
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media WHERE owner = $1 ORDER BY media.created_at DESC, media.id DESC LIMIT $2 -- text, integer
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media WHERE owner || '' = $1 AND CAST(length(category) AS TEXT) || ' ' || category || group_id = $2 ORDER BY media.created_at DESC, media.id DESC LIMIT $3 -- text, text, integer
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media WHERE owner || '' = $1 AND category = $2 ORDER BY media.created_at DESC, media.id DESC LIMIT $3 -- text, text, integer
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media WHERE owner || '' = $1 AND group_id = $2 ORDER BY media.created_at DESC, media.id DESC LIMIT $3 -- text, text, integer
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media_tag AS tagged JOIN media ON media.id = tagged.media WHERE tagged.owner = $1 AND CAST(length(tagged.category) AS TEXT) || ' ' || tagged.category || CAST(length(tagged.group_id) AS TEXT) || ' ' || tagged.group_id || tagged.tag = $2 ORDER BY tagged.created_at DESC, tagged.media DESC LIMIT $3 -- text, text, integer
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media_tag AS tagged JOIN media ON media.id = tagged.media WHERE tagged.owner = $1 AND CAST(length(tagged.category) AS TEXT) || ' ' || tagged.category || tagged.tag = $2 ORDER BY tagged.created_at DESC, tagged.media DESC LIMIT $3 -- text, text, integer
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media_tag AS tagged JOIN media ON media.id = tagged.media WHERE tagged.owner = $1 AND CAST(length(tagged.group_id) AS TEXT) || ' ' || tagged.group_id || tagged.tag = $2 ORDER BY tagged.created_at DESC, tagged.media DESC LIMIT $3 -- text, text, integer
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM media_tag AS tagged JOIN media ON media.id = tagged.media WHERE tagged.owner = $1 AND tagged.tag = $2 ORDER BY tagged.created_at DESC, tagged.media DESC LIMIT $3 -- text, text, integer
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at FROM profile_picture JOIN media ON media.id = profile_picture.media WHERE profile_picture.account = $1 -- text
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at, media.has_position, media_variant.parent, media_variant.blob, media_variant.type, media_variant.sha256, media_variant.byte_count, media_variant.created_at FROM media JOIN account ON account.id = media.owner LEFT JOIN media_variant ON media_variant.parent = media.blob AND media_variant.spec = $1 WHERE media.id = $2 AND media.owner = $3 AND account.closed_at IS NULL AND account.suspended_at IS NULL -- text, text, text
SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at, media_variant.parent, media_variant.blob, media_variant.type, media_variant.sha256, media_variant.byte_count, media_variant.created_at FROM media JOIN account ON account.id = media.owner LEFT JOIN media_variant ON media_variant.parent = media.blob AND media_variant.spec = $1 WHERE media.id = $2 AND media.owner = $3 AND account.closed_at IS NULL AND account.suspended_at IS NULL -- text, text, text
SELECT media_variant.blob, media_variant.type, media_variant.sha256, media_variant.byte_count, media_variant.created_at FROM media_variant WHERE parent = $1 AND spec = $2 -- text, text
SELECT moment FROM moment_file WHERE media = $1 AND owner = $2 -- text, text
SELECT moment, kind, tag, category, group_id, created_at, happened_at FROM moment_tag WHERE owner = $1 AND (kind, tag, created_at, moment) > ($2, $3, $4, $5) ORDER BY kind, tag, created_at, moment LIMIT $6 -- text, text, text, integer, text, integer
SELECT moment, kind, tag, category, group_id, created_at, happened_at FROM moment_tag WHERE owner = $1 ORDER BY kind, tag, created_at, moment LIMIT $2 -- text, integer
SELECT moment, position, role, media FROM moment_file WHERE owner = $1 AND (moment, position) > ($2, $3) ORDER BY moment, position LIMIT $4 -- text, text, integer, integer
SELECT moment, position, role, media FROM moment_file WHERE owner = $1 ORDER BY moment, position LIMIT $2 -- text, integer
SELECT moment.id, moment.kind, moment.created_at, moment.happened_at, moment.category, moment.group_id, moment.tags, moment.mood, moment.title, moment.note, moment.reason, moment.interests, moment.intensity, moment.location, moment.voice_ms, moment.pictures, moment.voice FROM moment WHERE id = $1 -- text
SELECT moment.id, moment.kind, moment.created_at, moment.happened_at, moment.category, moment.group_id, moment.tags, moment.mood, moment.title, moment.note, moment.reason, moment.interests, moment.intensity, moment.location, moment.voice_ms, moment.pictures, moment.voice FROM moment WHERE id = $1 AND owner = $2 AND kind = $3 -- text, text, text
SELECT moment.id, moment.kind, moment.created_at, moment.happened_at, moment.category, moment.group_id, moment.tags, moment.mood, moment.title, moment.note, moment.reason, moment.interests, moment.intensity, moment.location, moment.voice_ms, moment.pictures, moment.voice FROM moment WHERE id IN ($1) AND owner = $2 -- text, text
SELECT moment.id, moment.kind, moment.created_at, moment.happened_at, moment.category, moment.group_id, moment.tags, moment.mood, moment.title, moment.note, moment.reason, moment.interests, moment.intensity, moment.location, moment.voice_ms, moment.pictures, moment.voice FROM moment WHERE id IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) AND owner = $22 -- text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text
SELECT moment.id, moment.kind, moment.created_at, moment.happened_at, moment.category, moment.group_id, moment.tags, moment.mood, moment.title, moment.note, moment.reason, moment.interests, moment.intensity, moment.location, moment.voice_ms, moment.pictures, moment.voice FROM moment WHERE moment.owner = $1 ORDER BY moment.happened_at DESC, moment.id DESC LIMIT $2 -- text, integer
SELECT moment.id, moment.kind, moment.created_at, moment.happened_at, moment.category, moment.group_id, moment.tags, moment.mood, moment.title, moment.note, moment.reason, moment.interests, moment.intensity, moment.location, moment.voice_ms, moment.pictures, moment.voice FROM moment WHERE owner = $1 AND kind = $2 ORDER BY moment.created_at DESC, moment.id DESC LIMIT $3 -- text, text, integer
SELECT moment.id, moment.mood, moment.note, moment.voice, moment.voice_ms, moment.reason, moment.tags, moment.interests, moment.intensity, moment.created_at, moment.pictures, moment.category, moment.group_id FROM moment WHERE owner = $1 AND kind = $2 AND (moment.created_at, moment.id) < ($3, $4) ORDER BY moment.created_at DESC, moment.id DESC LIMIT $5 -- text, text, integer, text, integer
SELECT moment.id, moment.mood, moment.note, moment.voice, moment.voice_ms, moment.reason, moment.tags, moment.interests, moment.intensity, moment.created_at, moment.pictures, moment.category, moment.group_id FROM moment WHERE owner = $1 AND kind = $2 ORDER BY moment.created_at DESC, moment.id DESC LIMIT $3 -- text, text, integer
SELECT name FROM contact WHERE owner = $1 ORDER BY id DESC LIMIT 2000 -- text
SELECT name, birthdate, interests, latitude, longitude, bio, alma_mater, job, work_location, relation_status, sexuality, gender, city, grad_year, friend_count, request_count, created_at, onboarded_at, row_bytes, account FROM profile WHERE account = $1 AND account > $2 ORDER BY account LIMIT $3 -- text, text, integer
SELECT name, birthdate, interests, latitude, longitude, bio, alma_mater, job, work_location, relation_status, sexuality, gender, city, grad_year, friend_count, request_count, created_at, onboarded_at, row_bytes, account FROM profile WHERE account = $1 ORDER BY account LIMIT $2 -- text, integer
SELECT name, contact FROM contact_pin WHERE owner = $1 AND capture = $2 -- text, text
SELECT node.id, node.host, node.version, node.started_at, node.seen_at, node.requests, node.jobs FROM node ORDER BY id LIMIT $1 -- integer
SELECT number FROM search_head WHERE number IN ( SELECT number FROM search_document WHERE owner = $1) AND number > $2 ORDER BY number LIMIT $3 -- text, integer, integer
SELECT number FROM search_head WHERE number IN ( SELECT number FROM search_document WHERE owner = $1) ORDER BY number LIMIT $2 -- text, integer
SELECT numbers FROM contact_lookup WHERE account = $1 AND day = $2 -- text, integer
SELECT outside_engines FROM account WHERE id = $1 AND closed_at IS NULL -- text
SELECT owner FROM moment WHERE id = $1 -- text
SELECT password_hash FROM account WHERE id = $1 -- text
SELECT phone FROM account WHERE id = $1 AND phone IS NOT NULL -- text
SELECT phone, id FROM account WHERE phone IN ($1) AND closed_at IS NULL AND suspended_at IS NULL -- text
SELECT phone, phone_proved_at FROM account WHERE id = $1 AND closed_at IS NULL -- text
SELECT profile.name, profile.birthdate, profile.interests, profile.latitude, profile.longitude, profile.bio, profile.alma_mater, profile.job, profile.work_location, profile.relation_status, profile.sexuality, profile.gender, profile.city, profile.grad_year, profile.row_bytes FROM profile WHERE profile.account = $1 AND profile.onboarded_at IS NOT NULL -- text
SELECT profile_photo.id, profile_photo.media, profile_picture.media AS picture FROM profile_photo LEFT JOIN profile_picture ON profile_picture.media = profile_photo.media WHERE profile_photo.account = $1 ORDER BY profile_photo.id -- text
SELECT refresh_token.session, refresh_token.used_at, refresh_token.expires_at, session.account, session.ended_at, account.suspended_at, successor.used_at AS successor_used_at FROM refresh_token JOIN session ON session.id = refresh_token.session JOIN account ON account.id = session.account LEFT JOIN refresh_token AS successor ON successor.hash = $1 WHERE refresh_token.hash = $2 -- text, text
SELECT route, answer, created_at, row_bytes, resources_left, key FROM idempotency WHERE account = $1 AND (route, key) > ($2, $3) ORDER BY route, key LIMIT $4 -- text, text, text, integer
SELECT route, answer, created_at, row_bytes, resources_left, key FROM idempotency WHERE account = $1 ORDER BY route, key LIMIT $2 -- text, integer
SELECT route, key FROM idempotency_resource WHERE account = $1 AND kind = $2 AND resource = $3 -- text, text, text
SELECT route, kind, resource, key FROM idempotency_resource WHERE account = $1 AND (route, key, kind, resource) > ($2, $3, $4, $5) ORDER BY route, key, kind, resource LIMIT $6 -- text, text, text, text, text, integer
SELECT route, kind, resource, key FROM idempotency_resource WHERE account = $1 ORDER BY route, key, kind, resource LIMIT $2 -- text, integer
SELECT row_bytes FROM media WHERE id = $1 AND owner = $2 -- text, text
SELECT row_bytes FROM moment WHERE id = $1 AND owner = $2 -- text, text
SELECT seq FROM event_head WHERE account = $1 -- text
SELECT seq, at, account FROM event_head WHERE account = $1 AND account > $2 ORDER BY account LIMIT $3 -- text, text, integer
SELECT seq, at, account FROM event_head WHERE account = $1 ORDER BY account LIMIT $2 -- text, integer
SELECT seq, at, kind, payload FROM event WHERE account = $1 AND seq > $2 ORDER BY seq LIMIT $3 -- text, integer, integer
SELECT seq, at, kind, payload FROM event WHERE account = $1 ORDER BY seq LIMIT $2 -- text, integer
SELECT session, created_at, expires_at, used_at, hash FROM refresh_token WHERE session IN ( SELECT id FROM session WHERE account = $1) AND hash > $2 ORDER BY hash LIMIT $3 -- text, text, integer
SELECT session, created_at, expires_at, used_at, hash FROM refresh_token WHERE session IN ( SELECT id FROM session WHERE account = $1) ORDER BY hash LIMIT $2 -- text, integer
SELECT session, created_at, expires_at, user_agent, hash FROM session_cookie WHERE session IN ( SELECT id FROM session WHERE account = $1) ORDER BY hash LIMIT $2 -- text, integer
SELECT session.id AS session, session.account, session.last_used_at, account.is_admin, account.suspended_at FROM session_cookie JOIN session ON session.id = session_cookie.session JOIN account ON account.id = session.account WHERE session_cookie.hash = $1 AND session_cookie.expires_at > $2 AND session.ended_at IS NULL AND account.closed_at IS NULL -- text, integer
SELECT session.id, session.account FROM session JOIN account ON account.id = session.account WHERE session.id IN ($1) AND session.ended_at IS NULL AND account.suspended_at IS NULL -- text
SELECT session_cookie.session, session_cookie.user_agent, session_cookie.created_at, session_cookie.expires_at FROM session JOIN session_cookie ON session_cookie.session = session.id WHERE session.account = $1 AND session.ended_at IS NULL AND session_cookie.expires_at > $2 -- text, integer
SELECT sha256, byte_count, state, created_at, dead_at, key FROM blob WHERE owner = $1 AND key > $2 ORDER BY key LIMIT $3 -- text, text, integer
SELECT sha256, byte_count, state, created_at, dead_at, key FROM blob WHERE owner = $1 ORDER BY key LIMIT $2 -- text, integer
SELECT signing_key.kid, signing_key.private_key, signing_key.created_at, signing_key.signs_from FROM signing_key ORDER BY signs_from, kid
SELECT spec, blob FROM media_variant WHERE parent = $1 ORDER BY created_at, spec -- text
SELECT spec, type, sha256, byte_count, created_at, parent FROM media_variant WHERE parent IN ( SELECT key FROM blob WHERE owner = $1) AND (parent, spec) > ($2, $3) ORDER BY parent, spec LIMIT $4 -- text, text, text, integer
SELECT spec, type, sha256, byte_count, created_at, parent FROM media_variant WHERE parent IN ( SELECT key FROM blob WHERE owner = $1) ORDER BY parent, spec LIMIT $2 -- text, integer
SELECT subject FROM identity WHERE account = $1 AND subject = $2 LIMIT 1 -- text, text
SELECT subject, client_id, created_at FROM apple_token WHERE account = $1 ORDER BY subject, client_id LIMIT $2 -- text, integer
SELECT subject, client_id, sealed FROM apple_token WHERE account = $1 ORDER BY subject, client_id -- text
SELECT text, words FROM capsule_transcript WHERE capsule = $1 -- text
SELECT value FROM server_secret WHERE name = $1 -- text
UPDATE account SET email = NULL, name = NULL, password_hash = NULL, phone = NULL, phone_proved_at = NULL, verified_at = NULL, is_admin = 0, is_pro = 0, closed_at = $1 WHERE id = $2 AND closed_at IS NULL -- integer, text
UPDATE account SET name = $1 WHERE id = $2 RETURNING account.id, account.email, account.name, account.is_admin, account.is_pro, account.created_at, account.suspended_at, account.outside_engines, account.time_zone -- text, text
UPDATE account SET outside_engines = $1 WHERE id = $2 RETURNING account.id, account.email, account.name, account.is_admin, account.is_pro, account.created_at, account.suspended_at, account.outside_engines, account.time_zone -- integer, text
UPDATE account SET password_hash = $1, credential_set_at = $2 WHERE id = $3 -- text, integer, text
UPDATE account SET phone = $1, phone_proved_at = $2 WHERE id = $3 AND closed_at IS NULL AND (phone_proved_at IS NULL OR phone_proved_at < $4) -- text, integer, text, integer
UPDATE account SET phone = NULL WHERE phone = $1 AND id <> $2 -- text, text
UPDATE account SET suspended_at = $1 WHERE id = $2 -- integer, text
UPDATE account SET time_zone = $1 WHERE id = $2 RETURNING account.id, account.email, account.name, account.is_admin, account.is_pro, account.created_at, account.suspended_at, account.outside_engines, account.time_zone -- text, text
UPDATE account SET verified_at = $1 WHERE id = $2 -- integer, text
UPDATE blob SET owner = $1 WHERE key = $2 AND state = 'live' -- text, text
UPDATE blob SET refs = 0, state = 'dead', dead_at = $1 WHERE owner = $2 AND state = 'live' -- integer, text
UPDATE blob SET refs = refs + 1 WHERE state = 'live' AND key = ( SELECT key FROM blob WHERE state = 'live' AND owner = $1 AND sha256 = $2 AND byte_count = $3 LIMIT 1) RETURNING key -- text, text, integer
UPDATE blob SET refs = refs - 1, state = CASE WHEN refs = 1 THEN 'dead' ELSE state END, dead_at = CASE WHEN refs = 1 THEN $1 ELSE dead_at END WHERE key = $2 AND state = 'live' RETURNING refs -- integer, text
UPDATE capsule SET row_bytes = $1 WHERE id = $2 AND row_bytes IS NULL -- integer, text
UPDATE capture SET audio_media = NULL, audio_url = NULL WHERE audio_media = $1 AND owner = $2 -- text, text
UPDATE capture SET photo_media = NULL, photo_url = NULL WHERE photo_media = $1 AND owner = $2 -- text, text
UPDATE capture SET status = $1, photo_media = $2, photo_url = $3, audio_media = $4, audio_url = $5, sent = $6, transcription = $7, transcription_engine = $8, analysis = $9, error = $10, version = $11, row_bytes = $12 WHERE owner = $13 AND id = $14 -- text, null, text, null, null, text, text, text, text, null, integer, integer, text, text
UPDATE capture SET status = $1, row_bytes = $2 WHERE owner = $3 AND id = $4 -- text, integer, text, text
UPDATE capture SET status = $1, transcription = $2, transcription_engine = $3, analysis = $4, error = $5 WHERE owner = $6 AND id = $7 -- text, text, text, text, text, text, text
UPDATE capture SET version = 2, status = 'received' WHERE owner = $1 AND id = 'a' -- text
UPDATE capture_day SET content = $1 WHERE owner = $2 AND day = $3 -- text, text, text
UPDATE capture_day SET content = $1, condensed = $2, condensed_at = $3, is_scheduled = 0, row_bytes = $4 WHERE owner = $5 AND day = $6 -- text, integer, integer, integer, text, text
UPDATE capture_day SET content = NULL WHERE owner = $1 AND day = '2026-05-02' -- text
UPDATE capture_day SET is_scheduled = 1 WHERE owner = $1 AND day = $2 AND is_scheduled = 0 RETURNING condensed_at -- text, text
UPDATE capture_hour SET content = $1 WHERE owner = $2 AND day = $3 AND start = $4 AND hour = $5 -- text, text, text, integer, integer
UPDATE capture_hour SET content = $1, condensed = $2, condensed_at = $3, is_scheduled = 0, row_bytes = $4 WHERE owner = $5 AND day = $6 AND start = $7 AND hour = $8 -- text, integer, integer, integer, text, text, integer, integer
UPDATE capture_hour SET is_scheduled = 1 WHERE owner = $1 AND day = $2 AND start = $3 AND hour = $4 AND is_scheduled = 0 RETURNING condensed_at -- text, text, integer, integer
UPDATE contact SET by_user = 1 WHERE id = $1 AND owner = $2 -- text, text
UPDATE contact SET by_user = 1, relationship = COALESCE(relationship, $1), notes = COALESCE(notes, $2), face_capture = COALESCE(face_capture, $3) WHERE id = $4 AND owner = $5 -- null, null, null, text, text
UPDATE contact SET face_capture = NULL WHERE owner = $1 AND face_capture = $2 -- text, text
UPDATE contact SET mention_count = $1, first_seen = $2, last_seen = $3 WHERE id = $4 AND owner = $5 -- integer, integer, integer, text, text
UPDATE contact SET merged_into = $1 WHERE merged_into = $2 -- text, text
UPDATE contact SET merged_into = $1, mention_count = 0 WHERE id = $2 AND owner = $3 -- text, text, text
UPDATE contact SET name = $1, relationship = $2, notes = $3, face_capture = $4, by_user = 1, row_bytes = $5 WHERE id = $6 AND owner = $7 -- text, text, text, text, integer, text, text
UPDATE contact_name SET contact = $1 WHERE contact = $2 -- text, text
UPDATE contact_name SET contact = NULL WHERE contact = $1 -- text
UPDATE contact_pin SET contact = $1 WHERE contact = $2 -- text, text
UPDATE cove SET cover = NULL, cover_owner = NULL WHERE cover = $1 AND cover_owner = $2 -- text, text
UPDATE cove SET cover = NULL, cover_owner = NULL WHERE cover_owner = $1 -- text
UPDATE cove SET member_count = member_count + $1 WHERE id IN (SELECT cove_member.cove FROM cove_member WHERE cove_member.account = $2 AND cove_member.hidden = $3) -- integer, text, integer
UPDATE cove_event SET cover = NULL, cover_owner = NULL WHERE cover = $1 AND cover_owner = $2 -- text, text
UPDATE cove_event SET cover = NULL, cover_owner = NULL WHERE id IN (SELECT id FROM cove_event WHERE cover_owner = $1 ORDER BY id LIMIT $2) -- text, integer
UPDATE cove_event SET ended_at = 0 WHERE host = $1 AND ended_at IS NULL -- text
UPDATE cove_event SET ended_at = 1 WHERE host = $1 AND ended_at > 1 -- text
UPDATE cove_event SET going_count = going_count + $1 WHERE id IN (SELECT event FROM cove_rsvp WHERE account = $2 AND hidden = $3 AND status = 'GOING') -- integer, text, integer
UPDATE engine_call SET received_bytes = $1, milliseconds = $2, outcome = $3 WHERE id = $4 -- integer, integer, text, text
UPDATE idempotency SET fingerprint = $1, answer = $2, row_bytes = $3, resources_left = $4 WHERE account = $5 AND route = $6 AND key = $7 AND attempt = $8 AND answer IS NULL AND resources_left IS NULL -- text, text, integer, integer, text, text, text, integer
UPDATE idempotency SET fingerprint = NULL, answer = NULL, row_bytes = $1, resources_left = 0 WHERE account = $2 AND route = $3 AND key = $4 -- integer, text, text, text
UPDATE idempotency SET resources_left = resources_left WHERE account = $1 AND route = $2 AND key = $3 RETURNING resources_left, row_bytes -- text, text, text
UPDATE job SET attempt = attempt + 1, tries = tries + 1, lost = $1, lease_until = $2, worker = $3, error = $4 WHERE id = $5 AND attempt = $6 AND state = 'running' RETURNING job.id, job.attempt, job.kind, job.owner, job.payload, job.tries, job.lost, job.run_at -- integer, integer, text, text, text, integer
UPDATE job SET lease_until = $1 WHERE state = 'running' AND id IN ($2) AND (id = $3 AND attempt = $4) RETURNING id, attempt -- integer, text, text, integer
UPDATE job SET lease_until = $1 WHERE state = 'running' AND id IN ($2, $3, $4, $5) AND (id = $6 AND attempt = $7 OR id = $8 AND attempt = $9) RETURNING id, attempt -- integer, text, text, text, text, text, integer, text, integer
UPDATE job SET lease_until = $1 WHERE state = 'running' AND id IN ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22) AND (id = $23 AND attempt = $24 OR id = $25 AND attempt = $26 OR id = $27 AND attempt = $28 OR id = $29 AND attempt = $30 OR id = $31 AND attempt = $32 OR id = $33 AND attempt = $34 OR id = $35 AND attempt = $36 OR id = $37 AND attempt = $38) RETURNING id, attempt -- integer, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, integer, text, integer, text, integer, text, integer, text, integer, text, integer, text, integer, text, integer
UPDATE job SET state = 'parked', error = $1, lease_until = NULL, worker = NULL WHERE id = $2 AND attempt = $3 AND state = 'running' -- text, text, integer
UPDATE job SET state = 'ready', run_at = $1, error = $2, lease_until = NULL, worker = NULL WHERE id = $3 AND attempt = $4 AND state = 'running' -- integer, text, text, integer
UPDATE media SET has_position = $1 WHERE id = $2 AND owner = $3 -- integer, text, text
UPDATE media SET name = name WHERE id = $1 RETURNING media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height, media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at -- text
UPDATE media SET owner = $1, title = NULL, description = NULL, tags = '[]', group_id = NULL, row_bytes = $2 WHERE id = $3 AND owner = $4 -- text, integer, text, text
UPDATE media SET row_bytes = $1 WHERE id = $2 AND row_bytes IS NULL -- integer, text
UPDATE media SET title = $1, description = $2, category = $3, group_id = $4, tags = $5, row_bytes = $6 WHERE id = $7 AND owner = $8 -- text, text, text, null, text, integer, text, text
UPDATE media_index_pass SET after = $1, is_done = $2 WHERE one = 1 -- text, integer
UPDATE media_usage SET byte_count = byte_count + $1, file_count = file_count + $2, row_bytes = row_bytes + $3, reserved_bytes = reserved_bytes - $4 WHERE account = $5 -- integer, integer, integer, integer, text
UPDATE media_usage SET byte_count = byte_count + $1, file_count = file_count + $2, row_bytes = row_bytes + $3, reserved_bytes = reserved_bytes - $4 WHERE account = $5 AND byte_count + row_bytes + reserved_bytes + $6 <= $7 AND file_count + $8 <= $9 -- integer, integer, integer, integer, text, integer, integer, integer, integer
UPDATE media_usage SET reserved_bytes = reserved_bytes + $1 WHERE account = $2 AND byte_count + row_bytes + reserved_bytes + $3 <= $4 -- integer, text, integer, integer
UPDATE moment SET created_at = $1, happened_at = $2, category = $3, group_id = $4, tags = $5, mood = $6, title = $7, note = $8, reason = $9, interests = $10, intensity = $11, location = $12, row_bytes = $13 WHERE id = $14 AND owner = $15 -- integer, integer, text, text, text, text, text, text, text, text, null, null, integer, text, text
UPDATE moment SET row_bytes = $1 WHERE id = $2 AND row_bytes IS NULL -- integer, text
UPDATE profile SET friend_count = friend_count + $1 WHERE account IN (SELECT friend FROM friendship WHERE account = $2) -- integer, text
UPDATE profile SET request_count = request_count + $1 WHERE account IN (SELECT recipient FROM friend_request WHERE sender = $2 AND status = 'PENDING') -- integer, text
UPDATE refresh_token SET used_at = $1 WHERE hash = $2 -- integer, text
UPDATE row_pass SET after = $1, is_done = $2 WHERE kind = $3 -- text, integer, text
UPDATE session SET ended_at = $1 WHERE account = $2 AND ended_at IS NULL AND id <> $3 RETURNING id -- integer, text, text
UPDATE session SET ended_at = $1 WHERE account = $2 AND ended_at IS NULL RETURNING id -- integer, text
UPDATE session SET ended_at = $1 WHERE account = $2 AND identity = $3 AND ended_at IS NULL AND id <> $4 RETURNING id -- integer, text, text, text
UPDATE session SET ended_at = $1 WHERE id = $2 AND account = $3 AND ended_at IS NULL -- integer, text, text
UPDATE session SET last_used_at = $1 WHERE id = $2 AND last_used_at < $3 AND ended_at IS NULL -- integer, text, integer
UPDATE session SET last_used_at = $1, expires_at = $2 WHERE id = $3 AND ended_at IS NULL -- integer, integer, text
UPDATE upload_reservation SET byte_count = byte_count + $1 WHERE id = $2 AND owner = $3 RETURNING byte_count -- integer, text, text
WITH picked AS MATERIALIZED ( SELECT id FROM job WHERE state = 'ready' AND kind = $1 AND run_at <= $2 ORDER BY run_at, id LIMIT $3 ) UPDATE job SET state = 'running', attempt = attempt + 1, tries = tries + 1, lease_until = $4, worker = $5 WHERE id IN (SELECT id FROM picked) RETURNING job.id, job.attempt, job.kind, job.owner, job.payload, job.tries, job.lost, job.run_at -- text, integer, integer, integer, text
