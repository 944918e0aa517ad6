package chat

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

// Provider is a row of the table of servers.
type Provider struct {
	// Name is how people name the server: "groq".
	Name string
	// Hosts are its host names; a name that begins with a dot stands for all
	// below it. None for a server that people run themselves.
	Hosts []string
	// KeyEnv is the environment variable that customarily holds its key.
	KeyEnv string
	// Signs tell it by its answers, where the host does not: the beginning of a
	// field's value as "field=value", a field's presence as "field", or a header
	// as "Header: value".
	Signs []string
	// Quirks are its departures from the API.
	Quirks Quirks
	// Seen names the recordings that show them, below wire/ of the test data;
	// none where only its manual tells.
	Seen []string
}

const (
	fantasy   = "charmbracelet+fantasy/"
	ai        = "pydantic+pydantic-ai/"
	rig       = "0xPlaygrounds+rig/"
	compat    = "compat/"
	openaiAPI = "openai-chat/"
)

// unknown are the quirks of a server that is in no row. Servers that people run
// themselves pass over fields that they do not know, so reasoning may go back.
var unknown = Quirks{ThinkTags: "leading", ThinkingBack: "same"}

var providers = []Provider{
	{
		Name: "openai", Hosts: []string{"api.openai.com"}, KeyEnv: "OPENAI_API_KEY",
		Quirks: Quirks{Files: true, MaxTokensField: "max_completion_tokens", OutputSchema: true, Strict: true},
		Seen: []string{
			openaiAPI + "vercel+ai/openai/chat/reasoning-model-legacy-parameter-error.json",
			openaiAPI + fantasy + "TestOpenAICommon/openai-o4-mini/simple_streaming.yaml",
			openaiAPI + rig + "openai/refusal_matrix/chat_streaming_raw_model_surfaces_refusal.yaml",
		},
	},
	{
		Name: "azure", Hosts: []string{".openai.azure.com", ".services.ai.azure.com"}, KeyEnv: "AZURE_OPENAI_API_KEY",
		Quirks: Quirks{KeyHeader: "Api-Key", MaxTokensField: "max_completion_tokens", OutputSchema: true, Strict: true},
		Seen:   []string{openaiAPI + fantasy + "TestAzureCommon/azure-gpt-5-mini/tool_streaming.yaml"},
	},
	{
		Name: "gemini", Hosts: []string{"generativelanguage.googleapis.com"}, KeyEnv: "GEMINI_API_KEY",
		Quirks: Quirks{EchoFields: []string{"extra_content"}, EmptyContent: "omit", OutputSchema: true},
		Seen:   []string{openaiAPI + ai + "test_openai/test_compatible_api_with_tool_calls_without_id.yaml"},
	},
	{
		Name: "openrouter", Hosts: []string{"openrouter.ai"}, KeyEnv: "OPENROUTER_API_KEY",
		Signs: []string{"id=gen-"},
		Quirks: Quirks{EffortField: "reasoning", EmptyContent: "omit", Files: true, OutputSchema: true, ServerTools: true, Strict: true,
			ThinkingBack: "reasoning_details", ThinkingField: "reasoning"},
		Seen: []string{
			compat + fantasy + "TestOpenRouterThinking/anthropic/thinking-streaming.yaml",
			compat + fantasy + "TestOpenRouterCommon/gemini/tool_streaming.yaml",
			compat + rig + "openrouter/refusal_matrix/blocking_gpt_4_1_refusal.yaml",
			compat + ai + "test_openrouter/test_openrouter_web_search_annotations_stream.yaml",
		},
	},
	{
		Name: "groq", Hosts: []string{"api.groq.com"}, KeyEnv: "GROQ_API_KEY",
		Signs:  []string{"x_groq"},
		Quirks: Quirks{EmptyContent: "omit", ThinkingBack: "tags", ThinkTags: "leading"},
		Seen: []string{
			compat + fantasy + "TestOpenAICompatibleCommon/groq-kimi-k2/multi_tool_streaming.yaml",
			compat + ai + "test_groq/test_tool_use_failed_error_streaming.yaml",
			compat + ai + "test_groq/test_tool_use_failed_error.yaml",
		},
	},
	{
		Name: "cerebras", Hosts: []string{"api.cerebras.ai"}, KeyEnv: "CEREBRAS_API_KEY",
		Signs:  []string{"time_info"},
		Quirks: Quirks{OutputSchema: true, ThinkingBack: "tags", ThinkTags: "leading"},
		Seen:   []string{compat + ai + "test_cerebras/test_cerebras_zai_reasoning_replayed_as_think_tags.yaml"},
	},
	{
		Name: "deepseek", Hosts: []string{"api.deepseek.com"}, KeyEnv: "DEEPSEEK_API_KEY",
		Quirks: Quirks{EmptyThinking: true, Strict: true, ThinkingBack: "reasoning_content", ThinkingField: "thinking"},
		Seen: []string{
			compat + ai + "test_deepseek/test_deepseek_deferred_capability_with_thinking.yaml",
			compat + "vercel+ai/deepseek/chat/deepseek-tool-call.chunks.txt",
		},
	},
	{
		Name: "mistral", Hosts: []string{"api.mistral.ai"}, KeyEnv: "MISTRAL_API_KEY",
		Quirks: Quirks{EmptyContent: "empty", IDs: "short", NoStreamOptions: true, OutputSchema: true, Required: "any", ToolName: true},
		Seen:   []string{compat + "vercel+ai/mistral/mistral-incremental-tool-call.chunks.txt"},
	},
	{
		Name: "xai", Hosts: []string{"api.x.ai"}, KeyEnv: "XAI_API_KEY",
		Quirks: Quirks{EmptyContent: "omit", OutputSchema: true},
		Seen:   []string{compat + fantasy + "TestOpenAICompatibleCommon/xai-grok-4-fast/tool_streaming.yaml"},
	},
	{
		Name: "ollama", Hosts: []string{"ollama.com"}, KeyEnv: "OLLAMA_API_KEY",
		Signs:  []string{"system_fingerprint=fp_ollama"},
		Quirks: Quirks{EmptyContent: "empty", OutputSchema: true, ThinkingBack: "reasoning", ThinkTags: "leading"},
		Seen: []string{
			compat + "crmne+ruby_llm/chat_function_calling_ollama_qwen3_can_use_parallel_tool_calls.yml",
			compat + ai + "test_ollama/test_ollama_cloud_tool_output.yaml",
			compat + ai + "test_ollama/test_ollama_local_native_output_uses_json_schema.yaml",
		},
	},
	{
		Name:   "llamacpp",
		Signs:  []string{"timings", "Server: llama.cpp"},
		Quirks: Quirks{EmptyContent: "omit", OutputSchema: true, ThinkingBack: "reasoning_content", ThinkTags: "leading"},
		Seen: []string{
			compat + fantasy + "TestOpenAICompatibleCommon/llama-cpp-gpt-oss/tool_streaming.yaml",
			compat + rig + "llamacpp/bare_openai_client/tool_call_stream_without_the_single_chunk_const.yaml",
		},
	},
	{
		Name: "vllm", Hosts: []string{"api.inference.crusoecloud.com"},
		Signs:  []string{"system_fingerprint=vllm-", "kv_transfer_params", "prompt_token_ids"},
		Quirks: Quirks{OutputSchema: true, Strict: true, ThinkingBack: "reasoning", ThinkTags: "leading"},
		Seen: []string{
			compat + ai + "test_crusoe/test_crusoe_tool_calling.yaml",
			compat + ai + "test_crusoe/test_crusoe_model_streaming.yaml",
		},
	},
	{
		Name: "doubleword", Hosts: []string{"api.doubleword.ai"}, KeyEnv: "DOUBLEWORD_API_KEY",
		Quirks: Quirks{EmptyContent: "omit", ThinkingBack: "reasoning_content", ThinkTags: "leading"},
		Seen:   []string{compat + rig + "doubleword/conformance/streaming_structured_after_tool.yaml"},
	},
	{
		Name: "together", Hosts: []string{"api.together.xyz", "api.together.ai"}, KeyEnv: "TOGETHER_API_KEY",
		Quirks: Quirks{OutputSchema: true, ThinkTags: "leading"},
	},
	{
		Name:   "lmstudio",
		Signs:  []string{"stats"},
		Quirks: Quirks{OutputSchema: true, ThinkTags: "leading"},
	},
}

// Providers returns the table of servers, in the order in which it is searched.
func Providers() []Provider {
	rows := slices.Clone(providers)
	for i := range rows {
		r := &rows[i]
		r.Quirks = *r.Quirks.clone()
		r.Hosts, r.Signs, r.Seen = slices.Clone(r.Hosts), slices.Clone(r.Signs), slices.Clone(r.Seen)
	}
	return rows
}

// QuirksOf returns a copy of the quirks of a provider, to change one of them;
// those of a server that is in no row where there is no such provider.
func QuirksOf(provider string) *Quirks {
	if row := providerNamed(provider); row != nil {
		return row.Quirks.clone()
	}
	return unknown.clone()
}

func providerNamed(name string) *Provider {
	for i := range providers {
		if providers[i].Name == name {
			return &providers[i]
		}
	}
	return nil
}

func providerNames() []string {
	names := make([]string, len(providers))
	for i := range providers {
		names[i] = providers[i].Name
	}
	return names
}

func providerOfHost(host string) *Provider {
	host = strings.ToLower(host)
	for i := range providers {
		for _, h := range providers[i].Hosts {
			if host == h || h[0] == '.' && strings.HasSuffix(host, h) {
				return &providers[i]
			}
		}
	}
	return nil
}

// providerOfAnswer tells the provider by a header and the top-level fields of an
// answer; nil if nothing does. Field returns the JSON of a field, nil for none.
func providerOfAnswer(header http.Header, field func(name string) []byte) *Provider {
	for i := range providers {
		for _, sign := range providers[i].Signs {
			if shows(header, field, sign) {
				return &providers[i]
			}
		}
	}
	return nil
}

func shows(header http.Header, field func(string) []byte, sign string) bool {
	if name, value, ok := strings.Cut(sign, ": "); ok {
		return strings.HasPrefix(header.Get(name), value)
	}
	name, value, ok := strings.Cut(sign, "=")
	raw := field(name)
	if !ok {
		return raw != nil
	}
	return bytes.HasPrefix(raw, []byte(`"`+value))
}
