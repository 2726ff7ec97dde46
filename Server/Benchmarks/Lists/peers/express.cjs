// The first page of a user's moods in idiomatic Express, on SQLite (Node's synchronous binding) or PostgreSQL (node-postgres with a pool and
// prepared statements): `jose` for the token, one HMAC for each link. With `processes` in its settings it runs that many (node:cluster). The
// environment variable PEER is the path of a JSON file with the settings.
"use strict"
const cluster = require("node:cluster")
const { createHmac } = require("node:crypto")
const { readFileSync } = require("node:fs")
const express = require("express")
const { createLocalJWKSet, jwtVerify } = require("jose")

const peer = JSON.parse(readFileSync(process.env.PEER))

/** Returns a function that prepares a statement; the prepared statement gives a promise of its rows, or on SQLite the rows. */
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
    return (_, text) => {
        const statement = file.prepare(text.replaceAll("$", "?"))
        return (...values) => statement.all(...values)
    }
}

const prepare = database()
const session = prepare("session", `SELECT account.is_admin FROM session JOIN account ON account.id = session.account
    WHERE session.id = $1 AND session.account = $2 AND session.ended_at IS NULL`)
const page = prepare("page", `SELECT id, created_at, category, group_id, tags, mood, note, reason, interests, intensity, voice_ms, pictures, voice, files
    FROM moment WHERE owner = $1 AND kind = 'mood' ORDER BY created_at DESC, id DESC LIMIT $2`)

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

function link(owner, media, expires) {
    const path = `/api/users/user/${encodeURIComponent(owner)}/multimedia/files/${media}`
    const signature = seal(linkSecret, ["link", "GET", path, expires]).toString("base64url")
    return `${peer.url}${path}?expires=${expires}&signature=${signature}`
}

function cursor(owner, moment) {
    const payload = `${moment.created_at}\x1f${moment.id}`
    const signature = seal(cursorSecret, ["cursor.moments", payload, owner, "mood", "", "", ""])
    return Buffer.concat([signature, Buffer.from(payload)]).toString("base64url")
}

async function signedIn(request, response, next) {
    try {
        const [scheme, token] = (request.get("authorization") ?? "").split(" ")
        if (scheme !== "Bearer" || !token) return response.status(401).json({ error: "Unauthorized" })
        const { payload } = await jwtVerify(token, keys, expected)
        if ((await session(payload.sid, payload.sub)).length === 0) return response.status(401).json({ error: "Unauthorized" })
        if (request.params.userId !== payload.sub) return response.status(403).json({ error: "Forbidden" })
        request.account = payload.sub
        next()
    } catch {
        response.status(401).json({ error: "Unauthorized" })
    }
}

const app = express()
app.disable("x-powered-by")
app.disable("etag") // The response is no-store, so a hash of it would be useless.
app.get("/api/users/user/:userId/moods", signedIn, async (request, response, next) => {
    try {
        const limit = Number(request.query.limit ?? 20)
        if (!Number.isInteger(limit) || limit < 1 || limit > 100) return response.status(400).json({ error: "Bad Request" })
        const owner = request.account
        const rows = await page(owner, limit + 1)
        const shown = rows.slice(0, limit)
        const day = 86_400
        const expires = String((Math.floor(Date.now() / 1000 / day) + 1 + 7) * day)
        const last = rows.length > limit ? shown.at(-1) : undefined
        response.set({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" }).json({
            success: true,
            moods: shown.map((moment) => ({
                id: moment.id,
                mood: moment.mood,
                note: moment.note ?? undefined,
                voiceNote: moment.voice === null ? undefined : link(owner, moment.voice, expires),
                voiceNoteDuration: moment.voice !== null && moment.voice_ms !== null ? moment.voice_ms / 1000 : undefined,
                reason: moment.reason ?? undefined,
                tags: JSON.parse(moment.tags),
                interests: JSON.parse(moment.interests),
                moodIntensity: moment.intensity ?? undefined,
                createdAt: Math.floor(moment.created_at / 1000),
                imageUrls: JSON.parse(moment.pictures).map((picture) => link(owner, picture, expires)),
                category: moment.category,
                groupId: moment.group_id ?? undefined,
                files: JSON.parse(moment.files).map((file) => {
                    const [id, type] = file.split(" ")
                    return { id, type }
                }),
            })),
            pagination: { hasMore: last !== undefined, nextCursor: last ? cursor(owner, last) : null },
        })
    } catch (error) {
        next(error)
    }
})

const announce = (port) => console.log(`listening on http://127.0.0.1:${port}`)

if (cluster.isPrimary && peer.processes > 1) {
    let count = 0
    cluster.on("message", (_, port) => {
        if (++count === peer.processes) announce(port)
    })
    cluster.on("exit", () => process.exit(1))
    process.on("SIGTERM", () => process.exit(0))
    for (let number = 0; number < peer.processes; number++) cluster.fork()
} else {
    const server = app.listen(0, "127.0.0.1", () => (cluster.isPrimary ? announce : (port) => process.send(port))(server.address().port))
}
