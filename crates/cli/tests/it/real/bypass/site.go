// A site on net/http that tells by which readings of its own a request is for the protected path.
package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
)

const protected = "/api/login"

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc(protected, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "mux")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {})
	handler := func(w http.ResponseWriter, r *http.Request) {
		served := []string{}
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, r)
		if recorder.Code == http.StatusOK && recorder.Body.Len() > 0 {
			served = append(served, "mux")
		}
		if strings.TrimRight(r.URL.Path, "/") == protected {
			served = append(served, "plain")
		}
		if path.Clean(r.URL.Path) == protected {
			served = append(served, "clean")
		}
		fmt.Fprint(w, strings.Join(served, " "))
	}
	address := "127.0.0.1:" + os.Args[1]
	if err := http.ListenAndServe(address, http.HandlerFunc(handler)); err != nil {
		panic(err)
	}
}
