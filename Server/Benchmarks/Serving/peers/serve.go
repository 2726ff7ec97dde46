// Serves Keepsake's files by Go's net/http, on plain HTTP/1.1 and on TLS with HTTP/1.1 and HTTP/2. If its settings contain `checks`, it
// does the work that Keepsake does: it verifies the link's HMAC and expiry, reads the file's row from SQLite, and sends the same header
// fields. Otherwise it opens the file that the last segment of the path names. It also serves a page of 20 moods from memory.
//
//	serve SETTINGS
//
// SETTINGS is the path of a JSON file.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type settings struct {
	Checks      bool
	Database    string
	Blobs       string // the folder that holds {00..ff}/KEY
	LinkSecret  string // hexadecimal
	Files       map[string]string
	Page        json.RawMessage
	Certificate string
	Key         string
}

var (
	told settings
	rows *database
	macs sync.Pool
)

// MARK: - Links

// isGenuine verifies a link as Keepsake's SignedLinks does: each part is preceded by its length, so that no two messages are equal.
func isGenuine(signature []byte, parts ...string) bool {
	mac := macs.Get().(hash.Hash)
	defer macs.Put(mac)
	mac.Reset()
	message := make([]byte, 0, 256)
	for _, part := range parts {
		message = binary.LittleEndian.AppendUint64(message, uint64(len(part)))
		message = append(message, part...)
	}
	mac.Write(message)
	return hmac.Equal(signature, mac.Sum(nil)[:16])
}

type problem struct {
	status int
	text   string
}

func (p problem) Error() string { return p.text }

// check verifies a link. It returns when the link expires, in seconds since 1970.
func check(r *http.Request) (int64, error) {
	query := r.URL.Query()
	if !query.Has("signature") {
		return 0, problem{http.StatusUnauthorized, "A credential or a signed link is needed."}
	}
	expiry, err := strconv.ParseInt(query.Get("expires"), 10, 64)
	signature, wrong := base64.RawURLEncoding.DecodeString(query.Get("signature"))
	if err != nil || wrong != nil || !isGenuine(signature, "link", "GET", r.URL.EscapedPath(), strconv.FormatInt(expiry, 10)) {
		return 0, problem{http.StatusForbidden, "The link's signature is invalid."}
	}
	if time.Now().Unix() >= expiry {
		return 0, problem{http.StatusForbidden, "This link has expired."}
	}
	return expiry, nil
}

func refuse(w http.ResponseWriter, err error) {
	var known problem
	if !errors.As(err, &known) {
		log.Print(err)
		known = problem{http.StatusInternalServerError, "Internal error."}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(known.status)
	json.NewEncoder(w).Encode(map[string]any{"success": false, "error": known.text})
}

// MARK: - Files

func serveChecked(w http.ResponseWriter, r *http.Request) {
	expiry, err := check(r)
	if err != nil {
		refuse(w, err)
		return
	}
	found, err := rows.find(r.PathValue("file"), r.PathValue("user"))
	if err == errNoSuchFile {
		err = problem{http.StatusNotFound, "There is no such file."}
	}
	if err != nil {
		refuse(w, err)
		return
	}
	file, err := os.Open(told.Blobs + "/" + found.blob[:2] + "/" + found.blob)
	if err != nil {
		refuse(w, err)
		return
	}
	defer file.Close()
	header := w.Header()
	header.Set("Etag", `"`+found.sha256+`"`)
	header.Set("Content-Type", found.mediaType)
	header.Set("Content-Disposition", `inline; filename="`+found.name+`"`)
	header.Set("Cache-Control", "private, max-age="+strconv.FormatInt(expiry-time.Now().Unix(), 10)+", immutable")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	http.ServeContent(w, r, "", time.UnixMicro(found.createdAt), file)
}

func serveUnchecked(w http.ResponseWriter, r *http.Request) {
	path, ok := told.Files[r.PathValue("file")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	file, err := os.Open(path)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer file.Close()
	about, err := file.Stat()
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "video/mp4")
	http.ServeContent(w, r, "", about.ModTime(), file)
}

// MARK: - A page of moods

type mood struct {
	ID                string   `json:"id"`
	Mood              string   `json:"mood"`
	Note              *string  `json:"note,omitempty"`
	VoiceNote         *string  `json:"voiceNote,omitempty"`
	VoiceNoteDuration *float64 `json:"voiceNoteDuration,omitempty"`
	Reason            *string  `json:"reason,omitempty"`
	Tags              []string `json:"tags"`
	Interests         []string `json:"interests"`
	MoodIntensity     *int     `json:"moodIntensity,omitempty"`
	CreatedAt         int64    `json:"createdAt"`
	ImageURLs         []string `json:"imageUrls"`
	Category          string   `json:"category"`
	GroupID           *string  `json:"groupId,omitempty"`
}

type moodPage struct {
	Success    bool   `json:"success"`
	Moods      []mood `json:"moods"`
	Pagination struct {
		HasMore    bool    `json:"hasMore"`
		NextCursor *string `json:"nextCursor"`
	} `json:"pagination"`
}

// servePage encodes a page whose rows and links are in memory. It reads no database, checks no token and signs nothing.
func servePage(page *moodPage) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := json.Marshal(page)
		if err != nil {
			refuse(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	}
}

// MARK: - Main

func require[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: serve SETTINGS")
		os.Exit(64)
	}
	if err := json.Unmarshal(require(os.ReadFile(os.Args[1])), &told); err != nil {
		log.Fatal(err)
	}
	serveFile := serveUnchecked
	if told.Checks {
		secret := require(hex.DecodeString(told.LinkSecret))
		macs.New = func() any { return hmac.New(sha256.New, secret) }
		rows = require(openDatabase(told.Database))
		serveFile = serveChecked
	}
	page := &moodPage{}
	if err := json.Unmarshal(told.Page, page); err != nil {
		log.Fatal(err)
	}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /api/users/user/{user}/multimedia/files/{file}", serveFile)
	routes.HandleFunc("GET /api/users/user/{user}/moods", servePage(page))
	routes.HandleFunc("GET /health/live", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"status":"ok"}`))
	})
	plain := require(net.Listen("tcp", "127.0.0.1:0"))
	secure := require(net.Listen("tcp", "127.0.0.1:0"))
	server := &http.Server{Handler: routes, ReadHeaderTimeout: 10 * time.Second}
	encrypting := &http.Server{
		Handler: routes, ReadHeaderTimeout: 10 * time.Second, TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	go func() { log.Fatal(encrypting.ServeTLS(secure, told.Certificate, told.Key)) }()
	fmt.Printf("listening on http://%s\n", strings.Join([]string{plain.Addr().String(), "https://" + secure.Addr().String()}, " "))
	log.Fatal(server.Serve(plain))
}
