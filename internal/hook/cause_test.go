package hook_test

import (
	"strings"
	"testing"

	"omc-hook/internal/hook"
)

func TestStopReasonKnowsTheSpellings(t *testing.T) {
	tests := map[hook.Cause][]string{
		hook.ContextLimit: {
			"context_limit", "Context Limit", "contextLimit", "Context window exceeded", "context_length_exceeded",
			"prompt is too long", "prompt is too long: 214000 tokens > 200000 maximum", "conversation-too-long",
			"conversation too long", "max_tokens", "max_output_tokens", "maxTokens", "model_context_window_exceeded",
			"max-context", "token limit hit", "token_limit", "request_too_large", "  CONTEXT_LIMIT\n",
		},
		hook.Abort: {
			"abort", "aborted", "Cancel", "cancelled", "canceled", "interrupt", "ctrl_c", "user_requested",
			"user_cancel", "user-interrupt", "manual_stop", "[Request interrupted by user]", "Request was aborted.",
		},
		hook.Authentication: {
			"authentication_error", "authentication_failed", "401", "403", "401 Unauthorized", "HTTP 403 Forbidden",
			"token_expired", "oauth_expired", "oauth_token_expired", "invalid_grant", "forbidden", "Forbidden",
			"API Error: 401", "invalid x-api-key", "billing_error",
		},
		hook.RateLimit: {
			"rate_limit", "rate-limit", "rateLimit", "429", "too_many_requests", "429 Too Many Requests",
			"overloaded_error", "overloaded", "529", "quota_exceeded", "usage limit reached", "rate_limit_error",
			"status code 429", "You've hit your usage limit · resets 1pm", "5-hour limit reached",
		},
		hook.None: {
			"", " ", "end_turn", "stop_sequence", "tool_use", "scheduled_task", "unknown", "server_error", "error", "limit",
			"fixed issue 4031", "port 40123", "handled 401 items", "issue 429", "4290", "14290", "40", "5",
			"context", "the context of the prompt", "add context limit handling", "rate limit tests pass",
			"cancelled by policy", "aborted the old branch", "user", "user authentication page is done", "max", "tokens",
			"I hit the rate limit while writing the tests, then went on and finished the parser as planned",
			"forbidden words list updated", "quota: see README", strings.Repeat("rate limit ", 100),
		},
	}
	for want, reasons := range tests {
		for _, reason := range reasons {
			t.Run(string(want)+"/"+reason, func(t *testing.T) {
				if got := hook.StopReason([]string{reason}); got != want {
					t.Errorf("StopReason(%q) = %q, want %q", reason, got, want)
				}
			})
		}
	}
}

func TestStopReasonTakesTheMostBindingOfSeveral(t *testing.T) {
	tests := []struct {
		name    string
		reasons []string
		want    hook.Cause
	}{
		{"no reason", nil, hook.None},
		{"unknown ones do not hide a known one", []string{"end_turn", "429", "prose about it"}, hook.RateLimit},
		{"the login before the limit", []string{"rate_limit", "401"}, hook.Authentication},
		{"the person before the login", []string{"401", "aborted"}, hook.Abort},
		{"the context before all", []string{"aborted", "rate_limit", "context_limit"}, hook.ContextLimit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := hook.StopReason(tt.reasons); got != tt.want {
				t.Errorf("StopReason(%q) = %q, want %q", tt.reasons, got, tt.want)
			}
		})
	}
}
