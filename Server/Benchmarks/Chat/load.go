// The model and the clients of the benchmark of chat. They are one process, so that both read the same clock.
//
//	load MODEL_PORT TARGET_PORT KIND SECONDS < ACCOUNTS
//
// It serves OpenAI's protocol on MODEL_PORT. Each answer is a stream of 20 frames a second, and each frame contains the time at which it is
// written. ACCOUNTS has a line with an access token for each client. All clients send requests to TARGET_PORT at once: with KIND `keepsake`
// they use Keepsake's chat, with `openai` the model's own protocol. They note the time at which each frame arrives. The first quarter of
// SECONDS warms up. It prints one line of JSON, and exits with 1 when a frame is missing, repeated or out of order.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"net/http"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const interval = 50 * time.Millisecond

// A frame's text is a space and this many digits: the nanoseconds since `start`.
const digits = 15

var (
	start = time.Now()
	sent  atomic.Int64
	ends  time.Duration
)

func serve(response http.ResponseWriter, request *http.Request) {
	// Read the whole request, because the server must have sent all of it before the answer begins.
	if _, err := io.Copy(io.Discard, request.Body); err != nil {
		return
	}
	response.Header().Set("Content-Type", "text/event-stream")
	flusher := response.(http.Flusher)
	write := func(delta, reason string) bool {
		_, err := fmt.Fprintf(response, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"bench",`+
			`"choices":[{"index":0,"delta":{%s},"finish_reason":%s}]}`+"\n\n", delta, reason)
		flusher.Flush()
		return err == nil
	}
	// Wait a random time, because streams of real models do not send their frames at the same moments.
	time.Sleep(time.Duration(rand.Int63n(int64(interval))))
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for time.Since(start) < ends {
		sent.Add(1)
		if !write(fmt.Sprintf(`"content":" %0*d"`, digits, time.Since(start)), "null") {
			return
		}
		<-ticker.C
	}
	write("", `"stop"`)
	fmt.Fprint(response, "data: [DONE]\n\n")
}

type client struct {
	delays   []time.Duration
	received int64
}

func (c *client) ask(port, kind, token string, counted time.Duration) error {
	connection, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		return err
	}
	defer connection.Close()
	path, body := "/v1/chat/completions", `{"model":"bench","stream":true,"messages":[{"role":"user","content":"How was the lake?"}]}`
	frame, last := []byte(`"delta":{"content"`), []byte("data: [DONE]")
	if kind == "keepsake" {
		path, body = "/api/chat/agents/chat/openAI", `{"text":"How was the lake?","model":"bench","conversationId":null}`
		frame, last = []byte(`"on_message_delta"`), []byte(`"final":true`)
	}
	fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, port, token, len(body), body)
	response, err := http.ReadResponse(bufio.NewReaderSize(connection, 16_384), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		text, _ := io.ReadAll(response.Body)
		return fmt.Errorf("%s: %.300s", response.Status, text)
	}
	lines := bufio.NewReaderSize(response.Body, 65_536)
	before := int64(-1)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("the answer broke off after %d frames: %v", c.received, err)
		}
		now := time.Since(start)
		switch {
		// Keepsake's last frame contains the whole text, so test for it first.
		case bytes.Contains(line, last):
			return nil
		case bytes.Contains(line, frame):
			// One frame of Keepsake may contain several frames of the model.
			for _, word := range strings.Fields(words(line)) {
				written, err := strconv.ParseInt(word, 10, 64)
				if err != nil || written <= before {
					return fmt.Errorf("frame %q came after %d", word, before)
				}
				before = written
				c.received++
				if time.Duration(written) >= counted {
					c.delays = append(c.delays, now-time.Duration(written))
				}
			}
		case bytes.HasPrefix(line, []byte("event: error")):
			text, _ := lines.ReadBytes('\n')
			return fmt.Errorf("refused: %.300s", text)
		}
	}
}

// words returns the texts of a frame, which are numbers.
func words(line []byte) string {
	var found strings.Builder
	count := 0
	for at, one := range line {
		if one < '0' || one > '9' {
			count = 0
			continue
		}
		if count++; count == digits {
			found.Write(line[at-digits+1 : at+1])
			found.WriteByte(' ')
		}
	}
	return found.String()
}

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: load MODEL_PORT TARGET_PORT KIND SECONDS < ACCOUNTS")
	}
	seconds, err := strconv.ParseFloat(os.Args[4], 64)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /v1/chat/completions", serve)
	go http.Serve(listener, nil)
	var tokens []string
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		tokens = append(tokens, input.Text())
	}
	span := time.Duration(seconds * float64(time.Second))
	counted := time.Since(start) + span/4
	ends = counted + span
	clients := make([]client, len(tokens))
	var group sync.WaitGroup
	for at, token := range tokens {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := clients[at].ask(os.Args[2], os.Args[3], token, counted); err != nil {
				log.Fatalf("client %d: %v", at, err)
			}
		}()
	}
	group.Wait()
	var delays []time.Duration
	received := int64(0)
	for _, one := range clients {
		delays = append(delays, one.delays...)
		received += one.received
	}
	if received != sent.Load() || len(delays) == 0 {
		log.Fatalf("%d frames were sent, %d arrived", sent.Load(), received)
	}
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	sort.Slice(delays, func(a, b int) bool { return delays[a] < delays[b] })
	at := func(part float64) float64 { return float64(delays[int(part*float64(len(delays)-1))]) / 1e6 }
	text, _ := json.Marshal(map[string]any{
		"frames": len(delays), "sent": sent.Load(), "seconds": (ends - counted).Seconds(), "p50": at(0.5), "p99": at(0.99), "max": at(1),
		"client": float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9,
	})
	fmt.Println(string(text))
}
