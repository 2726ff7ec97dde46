// A plain reverse proxy of Go's standard library. It passes each piece of a response on at once.
//
//	proxy PORT MODEL_PORT     port 0 picks one; prints "listening on http://127.0.0.1:PORT"
//
// It has no accounts, stores nothing, and does not parse what it passes on.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: proxy PORT MODEL_PORT")
	}
	model, err := url.Parse("http://127.0.0.1:" + os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(model)
	proxy.FlushInterval = -1
	// Allow an idle connection for each stream. With the default of 2, most requests would open a new connection.
	proxy.Transport = &http.Transport{MaxIdleConnsPerHost: 128}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, proxy))
}
