// The client of the benchmark of captures: sends captures over WebSockets, and counts acknowledgements.
//
//	load PORT WINDOW SECONDS TOTAL < ACCOUNTS
//
// ACCOUNTS has a line "user token" for each socket. On each socket, at most WINDOW captures are unacknowledged at a time; after each
// acknowledgement the client sends another capture. It warms up for a quarter of SECONDS and then measures for SECONDS. If TOTAL is above
// 0, it instead measures from the first byte until each socket has TOTAL acknowledgements. It prints one line of JSON, and exits with 1 if
// the server refuses a capture.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const text = "Just met with John at the harbour. We talked about the boat and had coffee, and it was a good morning."

var run = strconv.FormatInt(time.Now().UnixNano(), 36)

type phone struct {
	connection net.Conn
	reader     *bufio.Reader
	writer     *bufio.Writer
	number     int
	sent       []time.Time
	acked      int
	others     int
	delays     []time.Duration
}

func connect(port, user, token string, number int) (*phone, error) {
	connection, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(connection, "GET /ws/ios/%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer %s\r\n\r\n", user, port, token)
	reader := bufio.NewReaderSize(connection, 32_768)
	status, err := reader.ReadString('\n')
	if err != nil || !strings.Contains(status, " 101 ") {
		return nil, fmt.Errorf("handshake of socket %d: %q %v", number, status, err)
	}
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line == "\r\n" {
			break
		}
	}
	return &phone{connection: connection, reader: reader, writer: bufio.NewWriterSize(connection, 32_768), number: number}, nil
}

// send sends a capture in a masked frame, because RFC 6455 demands masks of clients.
func (p *phone) send() {
	number := len(p.sent)
	p.sent = append(p.sent, time.Now())
	payload := fmt.Appendf(nil, `{"type":"memory_capture","id":"%s-%d-%d","timestamp":"2026-05-01T08:%02d:%02dZ","transcription":"%s"}`,
		run, p.number, number, number/60%60, number%60, text)
	p.frame(1, payload)
}

func (p *phone) frame(opcode byte, payload []byte) {
	mask := [4]byte{0x37, 0xfa, 0x21, 0x3d}
	head := []byte{0x80 | opcode}
	if len(payload) < 126 {
		head = append(head, 0x80|byte(len(payload)))
	} else {
		head = append(head, 0x80|126, byte(len(payload)>>8), byte(len(payload)))
	}
	p.writer.Write(append(head, mask[:]...))
	for at := range payload {
		payload[at] ^= mask[at&3]
	}
	p.writer.Write(payload)
}

// receive returns whether a frame was an acknowledgement.
func (p *phone) receive() (bool, error) {
	var head [4]byte
	if _, err := io.ReadFull(p.reader, head[:2]); err != nil {
		return false, err
	}
	length := int(head[1])
	if length == 126 {
		if _, err := io.ReadFull(p.reader, head[2:4]); err != nil {
			return false, err
		}
		length = int(head[2])<<8 | int(head[3])
	} else if length > 126 {
		return false, fmt.Errorf("a frame of more than 64 KB")
	}
	payload, err := p.reader.Peek(length)
	if err != nil {
		return false, err
	}
	defer p.reader.Discard(length)
	switch head[0] & 0x0f {
	case 1:
		if strings.HasPrefix(string(payload), `{"type":"ack"`) {
			return true, nil
		}
		if strings.Contains(string(payload), `"ok":false`) {
			return false, fmt.Errorf("refused: %s", payload)
		}
		p.others++
	case 8:
		return false, fmt.Errorf("closed: %s", payload)
	case 9:
		p.frame(10, append([]byte(nil), payload...))
	}
	return false, nil
}

// work keeps WINDOW captures unacknowledged. Each acknowledgement belongs to the earliest of them, because a socket gets acknowledgements
// in order.
func (p *phone) work(window, total int, counts, ends *atomic.Bool) error {
	for range window {
		p.send()
	}
	if err := p.writer.Flush(); err != nil {
		return err
	}
	next := 0
	for {
		isAck, err := p.receive()
		if err != nil {
			if ends.Load() {
				return nil
			}
			return err
		}
		if isAck {
			if counts.Load() && !ends.Load() {
				p.acked++
				p.delays = append(p.delays, time.Since(p.sent[next]))
			}
			next++
			if total > 0 && next == total {
				return nil
			}
			if !ends.Load() && (total == 0 || len(p.sent) < total) {
				p.send()
			}
		}
		if p.reader.Buffered() == 0 {
			if err := p.writer.Flush(); err != nil && !ends.Load() {
				return err
			}
		}
	}
}

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: load PORT WINDOW SECONDS TOTAL < ACCOUNTS")
	}
	window, _ := strconv.Atoi(os.Args[2])
	seconds, _ := strconv.ParseFloat(os.Args[3], 64)
	total, _ := strconv.Atoi(os.Args[4])
	var phones []*phone
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		user, token, _ := strings.Cut(lines.Text(), " ")
		one, err := connect(os.Args[1], user, token, len(phones))
		if err != nil {
			log.Fatal(err)
		}
		phones = append(phones, one)
	}
	var counts, ends atomic.Bool
	var group sync.WaitGroup
	counts.Store(total > 0)
	start := time.Now()
	for _, one := range phones {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := one.work(window, total, &counts, &ends); err != nil {
				log.Fatal(err)
			}
		}()
	}
	if total == 0 {
		span := time.Duration(seconds * float64(time.Second))
		time.Sleep(span / 4)
		start = time.Now()
		counts.Store(true)
		time.Sleep(span)
	} else {
		group.Wait()
	}
	ends.Store(true)
	elapsed := time.Since(start).Seconds()
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	for _, one := range phones {
		one.connection.Close()
	}
	group.Wait()
	var delays []time.Duration
	sent, others := 0, 0
	for _, one := range phones {
		delays = append(delays, one.delays...)
		sent += len(one.sent)
		others += one.others
	}
	sort.Slice(delays, func(a, b int) bool { return delays[a] < delays[b] })
	if len(delays) == 0 {
		log.Fatal("nothing was acknowledged")
	}
	at := func(part float64) float64 { return float64(delays[int(part*float64(len(delays)-1))]) / 1e6 }
	found := map[string]any{
		"acks": len(delays), "seconds": elapsed, "rate": float64(len(delays)) / elapsed, "p50": at(0.5), "p99": at(0.99), "sent": sent,
		"events": others, "client": float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9,
	}
	text, _ := json.Marshal(found)
	fmt.Println(string(text))
}
