#include "tools/cli/json/json_study.h"

#include "tools/cli/json/json_values.h"

namespace lab::cli {

std::string start_json(const Lab& lab, const study::Study& study, const std::string& file,
                       const study::Level& level) {
  Json steps = list_of(level.steps, [](const study::Level::State& one) -> Json {
    return {{"do", word_of(one.step.kind)},
            {"says", one.step.says},
            {"command", one.command},
            {"done", one.done}};
  });
  return printed({{"lab", lab.number},
                  {"file", file},
                  {"variant", study.variant},
                  {"step", study.step},
                  {"steps", std::move(steps)}});
}

std::string hint_json(const Lab& lab, std::int64_t number, std::int64_t of,
                      const std::string& text) {
  return printed({{"lab", lab.number},
                  {"number", number == 0 ? Json() : Json(number)},
                  {"of", of},
                  {"text", text}});
}

std::string quiz_json(const Lab& lab, std::size_t of,
                      const std::vector<AnsweredQuestion>& questions) {
  Json list = list_of(questions, [](const AnsweredQuestion& one) -> Json {
    return {{"ask", one.ask},       {"given", one.given},          {"right", one.right},
            {"answer", one.answer}, {"rule", text_json(one.rule)}, {"why", one.why}};
  });
  return printed({{"lab", lab.number}, {"of", of}, {"questions", std::move(list)}});
}

std::string guess_json(const Lab& lab, const GuessResult& result) {
  const bool interval = result.theory.low != result.theory.high;
  return printed({{"lab", lab.number},
                  {"ask", result.ask},
                  {"variant", result.variant},
                  {"params", params_json(result.params)},
                  {"metric", result.metric},
                  {"guess", number_json(result.guess)},
                  {"theory", number_json(result.theory.low)},
                  {"theory_high", interval ? number_json(result.theory.high) : Json()},
                  {"formula", result.formula},
                  {"model", optional_json(result.model)},
                  {"measured", optional_json(result.measured)},
                  {"right", result.right},
                  {"rule", text_json(result.rule)},
                  {"told", result.told},
                  {"value", number_json(result.value)},
                  {"run", result.run == 0 ? Json() : Json(result.run)}});
}

std::string progress_json(const std::string& student, const std::vector<study::LabProgress>& labs) {
  Json list = list_of(labs, [](const study::LabProgress& one) -> Json {
    return {{"lab", one.lab},
            {"title", one.title},
            {"runs", one.runs},
            {"own_kernels", one.own_kernels},
            {"on_target", one.on_target},
            {"guessed", one.guessed},
            {"guessed_right", one.guessed_right},
            {"questions", one.questions},
            {"answered", one.answered},
            {"answered_right", one.answered_right}};
  });
  return printed({{"student", text_json(student)}, {"labs", std::move(list)}});
}

}  // namespace lab::cli
