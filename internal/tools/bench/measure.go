package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// subject is one thing that is measured: a process with its input.
type subject struct {
	name  string
	runs  int
	input []byte
	// foreign says that the subject is not ours: a run of it that fails is
	// counted as a miss, and fails nothing.
	foreign bool
	// command makes the process. prepare, where there is one, puts the world
	// back before each run; it and accept are not measured.
	command func(ctx context.Context) *exec.Cmd
	prepare func() error
	// accept refuses an output that is not the one of what is measured.
	accept func(out []byte) error
}

// sample is one run: how long the client waits, and the processor's time, which
// other load on the machine moves less.
type sample struct{ wall, cpu time.Duration }

// result is what the runs of one subject took, in milliseconds.
type result struct {
	Name   string  `json:"name"`
	Runs   int     `json:"runs"`
	Median float64 `json:"median_ms"`
	P95    float64 `json:"p95_ms"`
	Min    float64 `json:"min_ms"`
	CPU    float64 `json:"cpu_median_ms"`
	// Misses is how many runs did not do what is measured; they are left out.
	Misses int `json:"misses"`
}

// warmUp is how many rounds at the start are not counted.
const warmUp = 3

// measure runs the subjects in turns, so that what else the machine does falls
// on all of them alike. Each round begins with another subject, since the first
// one pays for what prepare has put out of the caches.
func measure(ctx context.Context, subjects []subject) ([]result, error) {
	times, misses := make([][]sample, len(subjects)), make([]int, len(subjects))
	rounds := 0
	for _, s := range subjects {
		rounds = max(rounds, s.runs)
	}
	for round := range warmUp + rounds {
		for i := range subjects {
			at := (i + round) % len(subjects)
			s := subjects[at]
			if round-warmUp >= s.runs {
				continue
			}
			took, err := s.once(ctx)
			switch {
			case err != nil && (!s.foreign || ctx.Err() != nil):
				return nil, fmt.Errorf("%s: %w", s.name, err)
			case err != nil:
				misses[at]++
			case round >= warmUp:
				times[at] = append(times[at], took)
			}
		}
	}
	results := make([]result, len(subjects))
	for i, s := range subjects {
		results[i] = summary(s.name, times[i])
		results[i].Misses = misses[i]
	}
	return results, nil
}

// once runs the subject and returns how long its process took, from the start
// to the end of its output.
func (s subject) once(ctx context.Context) (sample, error) {
	if s.prepare != nil {
		if err := s.prepare(); err != nil {
			return sample{}, err
		}
	}
	var stdout, stderr bytes.Buffer
	cmd := s.command(ctx)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(s.input), &stdout, &stderr
	started := time.Now()
	err := cmd.Run()
	took := time.Since(started)
	if err != nil {
		return sample{}, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	if s.accept != nil {
		if err := s.accept(stdout.Bytes()); err != nil {
			return sample{}, err
		}
	}
	return sample{wall: took, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

func summary(name string, samples []sample) result {
	n := len(samples)
	if n == 0 {
		return result{Name: name}
	}
	var wall, cpu []time.Duration
	for _, s := range samples {
		wall, cpu = append(wall, s.wall), append(cpu, s.cpu)
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	median := func(sorted []time.Duration) float64 { return ms((sorted[(n-1)/2] + sorted[n/2]) / 2) }
	return result{Name: name, Runs: n, Median: median(wall), P95: ms(wall[(n*95+99)/100-1]), Min: ms(wall[0]), CPU: median(cpu)}
}
