// The first page of a cove's events in idiomatic Express, on SQLite (Node's synchronous binding) or PostgreSQL (node-postgres with a pool and
// prepared statements): `jose` for the token, one HMAC for each link. The environment variable PEER is the path of a JSON file with the settings.
"use strict"
const { createHmac } = require("node:crypto")
const { readFileSync } = require("node:fs")
const express = require("express")
const { createLocalJWKSet, jwtVerify } = require("jose")

const peer = JSON.parse(readFileSync(process.env.PEER))

const session = `SELECT account.is_admin FROM session JOIN account ON account.id = session.account
    WHERE session.id = $1 AND session.account = $2 AND session.ended_at IS NULL`
// The same rules as in Keepsake's own statement: the members of the cove see its events, with their own answer, and the names of hosts that
// they may see.
const page = `SELECT event.id, event.name, event.description, event.date, event.location, event.cove, event.host, event.going_count,
        event.created_at, event.cover, event.cover_owner, cover_person.hidden AS cover_hidden,
        cove.name AS cove_name, cove.cover AS cove_cover, cove.cover_owner AS cove_cover_owner,
        cove_cover_person.hidden AS cove_cover_hidden, rsvp.status, host.name AS host_name, host.hidden AS host_hidden,
        CASE WHEN 1 = 1 AND NOT EXISTS (SELECT 1 FROM block WHERE blocker = $1 AND blocked = event.host)
            AND NOT EXISTS (SELECT 1 FROM block WHERE blocker = event.host AND blocked = $1) THEN 0 ELSE 1 END AS is_host_blocked
    FROM cove_event AS event JOIN cove ON cove.id = event.cove
    LEFT JOIN cove_rsvp AS rsvp ON rsvp.event = event.id AND rsvp.account = $1
    LEFT JOIN profile AS host ON host.account = event.host
    LEFT JOIN profile AS cover_person ON cover_person.account = event.cover_owner
    LEFT JOIN profile AS cove_cover_person ON cove_cover_person.account = cove.cover_owner
    WHERE event.cove = $2 AND event.ended_at IS NULL AND cove.ended_at IS NULL
        AND EXISTS (SELECT 1 FROM cove_member AS member WHERE member.cove = $2 AND member.account = $1)
    ORDER BY event.date, event.id LIMIT $3`

/** Returns a function that runs a statement and gives its rows. */
function database() {
    if (peer.database.startsWith("postgres:")) {
        const { Pool, types } = require("pg")
        types.setTypeParser(20, Number) // BIGINT holds microseconds, which fit into a Number.
        const pool = new Pool({ connectionString: peer.database, max: 8 })
        return (name, text) => async (...values) => (await pool.query({ name, text, values })).rows
    }
    const { DatabaseSync } = require("node:sqlite")
    const file = new DatabaseSync(peer.database)
    file.exec("PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 10000")
    if (file.prepare("PRAGMA journal_mode").get().journal_mode !== "wal") throw new Error("the file is not in WAL mode")
    return (name, text) => {
        const statement = file.prepare(text.replaceAll("$", "?"))
        return async (...values) => statement.all(...values)
    }
}

const prepare = database()
const findSession = prepare("session", session)
const findEvents = prepare("events", page)

const keys = createLocalJWKSet(peer.keys)
const expected = { algorithms: ["ES256"], typ: "at+jwt", issuer: peer.issuer, audience: peer.audience }

// Each part is preceded by its length, as in Keepsake, so that all servers give the same response.
function seal(secret, parts) {
    const pieces = []
    for (const part of parts) {
        const bytes = Buffer.from(part)
        const length = Buffer.alloc(8)
        length.writeUInt32LE(bytes.length)
        pieces.push(length, bytes)
    }
    return createHmac("sha256", secret).update(Buffer.concat(pieces)).digest().subarray(0, 16)
}

const linkSecret = Buffer.from(peer.linkSecret, "hex")
const cursorSecret = Buffer.from(peer.cursorSecret, "hex")

function photo(id, owner, hidden, expires) {
    if (id === null || owner === null || hidden === 1) return null
    const path = `/api/users/user/${encodeURIComponent(owner)}/multimedia/shared/${id}`
    const signature = seal(linkSecret, ["link", "GET", path, expires]).toString("base64url")
    return { id, url: `${peer.url}${path}?expires=${expires}&signature=${signature}` }
}

function cursor(account, cove, event) {
    const payload = `${event.date}\x1f${event.id}`
    const signature = seal(cursorSecret, ["cursor.cove-events", payload, account, cove])
    return Buffer.concat([signature, Buffer.from(payload)]).toString("base64url")
}

async function signedIn(request, response, next) {
    try {
        const [scheme, token] = (request.get("authorization") ?? "").split(" ")
        if (scheme !== "Bearer" || !token) return response.status(401).json({ message: "Unauthorized" })
        const { payload } = await jwtVerify(token, keys, expected)
        const [found] = await findSession(payload.sid, payload.sub)
        if (!found) return response.status(401).json({ message: "Unauthorized" })
        request.account = payload.sub
        next()
    } catch {
        response.status(401).json({ message: "Unauthorized" })
    }
}

const date = (microseconds) => new Date(microseconds / 1000).toISOString()

const app = express()
app.disable("x-powered-by")
app.disable("etag") // The response is no-store, so a hash of it would be useless.
app.get("/cove-events", signedIn, async (request, response, next) => {
    try {
        const limit = Number(request.query.limit ?? 10)
        if (!Number.isInteger(limit) || limit < 1) return response.status(400).json({ message: "Bad Request" })
        const account = request.account
        const cove = request.query.coveId
        const rows = await findEvents(account, cove, Math.min(limit, 50) + 1)
        if (rows.length === 0) return response.status(403).json({ message: "Forbidden" })
        const shown = rows.slice(0, limit)
        const day = 86_400
        const expires = String((Math.floor(Date.now() / 1000 / day) + 1 + 7) * day)
        const last = rows.length > limit ? shown.at(-1) : undefined
        response.set({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" }).json({
            events: shown.map((event) => ({
                id: event.id,
                name: event.name,
                description: event.description,
                date: date(event.date),
                location: event.location,
                coveId: event.cove,
                coveName: event.cove_name,
                coveCoverPhoto: photo(event.cove_cover, event.cove_cover_owner, event.cove_cover_hidden, expires),
                hostId: event.host_hidden === 1 ? "" : event.host,
                hostName: event.host_hidden === 1 || event.is_host_blocked === 1 ? "" : (event.host_name ?? ""),
                rsvpStatus: event.status,
                goingCount: event.going_count,
                createdAt: date(event.created_at),
                coverPhoto: photo(event.cover, event.cover_owner, event.cover_hidden, expires),
            })),
            pagination: { hasMore: last !== undefined, nextCursor: last ? cursor(account, cove, last) : null },
        })
    } catch (error) {
        next(error)
    }
})

const server = app.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`))
