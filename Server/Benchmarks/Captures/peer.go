// A plain Go server that acknowledges captures over the same WebSocket protocol, and stores them in one group-committed log.
//
//	peer PORT FOLDER [DELAY]     port 0 picks one; prints "listening on http://127.0.0.1:PORT"; DELAY (2ms) follows each sync
//
// For each capture it stores three records, because Keepsake stores three rows: the capture, its event and its job. While the server makes
// one write durable, it collects captures for the next write. It acknowledges a capture after the sync of its write. It refuses an id that
// was used before for other content. It has no accounts, reads nothing back, and runs no job. It uses only Go's standard library.
package main

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

type capture struct {
	Type          string `json:"type"`
	ID            string `json:"id"`
	Timestamp     string `json:"timestamp"`
	PhotoURL      string `json:"photoURL,omitempty"`
	AudioURL      string `json:"audioURL,omitempty"`
	Transcription string `json:"transcription,omitempty"`
}

type event struct {
	Account string `json:"account"`
	Seq     int64  `json:"seq"`
	Kind    string `json:"kind"`
	Capture string `json:"capture"`
}

type job struct {
	Kind    string `json:"kind"`
	Owner   string `json:"owner"`
	Capture string `json:"capture"`
	RunAt   int64  `json:"runAt"`
}

type acknowledgement struct {
	Type      string `json:"type"`
	Status    string `json:"status"`
	CaptureID string `json:"captureId"`
	Timestamp string `json:"timestamp"`
}

type refusal struct {
	OK        bool   `json:"ok"`
	Error     string `json:"error"`
	CaptureID string `json:"captureId,omitempty"`
}

// A socket and its queue of answers. One goroutine writes them, several at once if several are waiting.
type socket struct {
	connection net.Conn
	answers    chan []byte
}

type waiting struct {
	socket *socket
	answer []byte
}

// The log: the records of the next write, and the answers to send after its sync.
type commitLog struct {
	file    *os.File
	delay   time.Duration
	mutex   sync.Mutex
	wake    *sync.Cond
	records []byte
	answers []waiting
	seqs    map[string]int64
	seen    map[string]uint64
	jobs    []job
}

func openLog(folder string, delay time.Duration) (*commitLog, error) {
	file, err := os.OpenFile(filepath.Join(folder, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	opened := &commitLog{file: file, delay: delay, seqs: map[string]int64{}, seen: map[string]uint64{}}
	opened.wake = sync.NewCond(&opened.mutex)
	return opened, nil
}

// take adds a capture to the next write. It returns false if the id was used for other content.
func (l *commitLog) take(owner string, one capture, text []byte, to *socket, answer []byte) bool {
	key := owner + "/" + one.ID
	hash := fnv.New64a()
	hash.Write(text)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if old, found := l.seen[key]; found {
		if old != hash.Sum64() {
			return false
		}
	} else {
		l.seen[key] = hash.Sum64()
		l.seqs[owner]++
		work := job{"captures/analyse", owner, one.ID, time.Now().UnixMicro()}
		for _, record := range []any{
			struct {
				Owner string `json:"owner"`
				capture
			}{owner, one},
			event{owner, l.seqs[owner], "capture.received", one.ID}, work,
		} {
			line, _ := json.Marshal(record)
			l.records = append(append(l.records, line...), '\n')
		}
		l.jobs = append(l.jobs, work)
	}
	l.answers = append(l.answers, waiting{to, answer})
	l.wake.Signal()
	return true
}

func (l *commitLog) run() {
	for {
		l.mutex.Lock()
		for len(l.answers) == 0 {
			l.wake.Wait()
		}
		records, answers := l.records, l.answers
		l.records, l.answers = nil, nil
		l.mutex.Unlock()
		if _, err := l.file.Write(records); err != nil {
			log.Fatal(err)
		}
		if err := syscall.Fdatasync(int(l.file.Fd())); err != nil {
			log.Fatal(err)
		}
		if l.delay > 0 {
			time.Sleep(l.delay)
		}
		for _, one := range answers {
			one.socket.answers <- one.answer
		}
	}
}

// readFrame reads a text, close or ping frame of a client (RFC 6455 §5). It accepts no fragments.
func readFrame(reader *bufio.Reader) (opcode byte, payload []byte, err error) {
	var head [14]byte
	if _, err = io.ReadFull(reader, head[:2]); err != nil {
		return
	}
	length := uint64(head[1] & 0x7f)
	switch length {
	case 126:
		if _, err = io.ReadFull(reader, head[2:4]); err != nil {
			return
		}
		length = uint64(binary.BigEndian.Uint16(head[2:4]))
	case 127:
		if _, err = io.ReadFull(reader, head[2:10]); err != nil {
			return
		}
		length = binary.BigEndian.Uint64(head[2:10])
	}
	if head[0]&0xf0 != 0x80 || head[1]&0x80 == 0 || length > 262_144 {
		return 0, nil, fmt.Errorf("bad frame")
	}
	var mask [4]byte
	if _, err = io.ReadFull(reader, mask[:]); err != nil {
		return
	}
	payload = make([]byte, length)
	if _, err = io.ReadFull(reader, payload); err != nil {
		return
	}
	for at := range payload {
		payload[at] ^= mask[at&3]
	}
	return head[0] & 0x0f, payload, nil
}

func frame(opcode byte, payload []byte) []byte {
	out := make([]byte, 0, len(payload)+4)
	out = append(out, 0x80|opcode)
	if len(payload) < 126 {
		out = append(out, byte(len(payload)))
	} else {
		out = append(out, 126, byte(len(payload)>>8), byte(len(payload)))
	}
	return append(out, payload...)
}

func (s *socket) write() {
	writer := bufio.NewWriterSize(s.connection, 16_384)
	for answer := range s.answers {
		writer.Write(answer)
		for more := true; more; {
			select {
			case next, open := <-s.answers:
				if !open {
					more = false
				} else {
					writer.Write(next)
				}
			default:
				more = false
			}
		}
		if writer.Flush() != nil {
			s.connection.Close()
		}
	}
}

func refuse(to *socket, code, id string) {
	text, _ := json.Marshal(refusal{false, code, id})
	to.answers <- frame(1, text)
}

func (l *commitLog) serve(connection net.Conn, reader *bufio.Reader, owner string) {
	// The queue has room for as many answers as one write may hold for a socket, so that a slow reader does not delay the log.
	own := &socket{connection, make(chan []byte, 4_096)}
	go own.write()
	defer connection.Close()
	for {
		opcode, payload, err := readFrame(reader)
		switch {
		case err != nil || opcode == 8:
			return
		case opcode == 9:
			own.answers <- frame(10, payload)
			continue
		case opcode != 1:
			continue
		}
		var one capture
		if json.Unmarshal(payload, &one) != nil {
			refuse(own, "invalid_json", "")
			continue
		}
		at, err := time.Parse(time.RFC3339, one.Timestamp)
		if one.Type != "memory_capture" || one.ID == "" || err != nil {
			refuse(own, "invalid_field", one.ID)
			continue
		}
		answer, _ := json.Marshal(acknowledgement{"ack", "received", one.ID, at.UTC().Format(time.RFC3339)})
		if !l.take(owner, one, payload, own, frame(1, answer)) {
			refuse(own, "id_in_use", one.ID)
		}
	}
}

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: peer PORT FOLDER [DELAY]")
	}
	var delay time.Duration
	if len(os.Args) > 3 {
		found, err := time.ParseDuration(os.Args[3])
		if err != nil {
			log.Fatal(err)
		}
		delay = found
	}
	own, err := openLog(os.Args[2], delay)
	if err != nil {
		log.Fatal(err)
	}
	go own.run()
	http.HandleFunc("GET /ws/ios/{owner}", func(response http.ResponseWriter, request *http.Request) {
		key := request.Header.Get("Sec-WebSocket-Key")
		if !strings.EqualFold(request.Header.Get("Upgrade"), "websocket") || key == "" {
			http.Error(response, "This is a WebSocket.", http.StatusUpgradeRequired)
			return
		}
		connection, buffered, err := response.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		fmt.Fprintf(connection, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: %s\r\n\r\n",
			base64.StdEncoding.EncodeToString(sum[:]))
		own.serve(connection, bufio.NewReaderSize(buffered.Reader, 16_384), request.PathValue("owner"))
	})
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
