// SPDX-License-Identifier: GPL-3.0-or-later
// info, show, eval: inspect a program or an e-graph, and run a program.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/egraph_input.h"
#include "core/cost/node_cost.h"
#include "core/dialects/dialects.h"
#include "core/egraph/statistics.h"
#include "core/eval/evaluator.h"
#include "core/ir/binding.h"
#include "core/ir/calls.h"
#include "core/ir/draw.h"
#include "core/ir/shared.h"
#include "core/ks/operators.h"
#include "core/loops/lowering.h"
#include "core/loops/static_vectors.h"
#include "core/loops/text.h"
#include "core/tensor/operator.h"
#include "core/tensor/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace mitos::cli {

namespace {

std::string signature(const ir::TermBank& bank, const ir::Function& function) {
    std::string text;
    for (const ir::Parameter& p : function.parameters) {
        text += fmt::format("{}{} : {}", text.empty() ? "" : ", ", bank.text(p.name), bank.types().toString(p.type));
    }
    return fmt::format("{}({}) -> {}", function.name, text, bank.types().toString(function.declaredResult));
}

/// The sum of a cost's parts by name, "launch 40 %, memory 60 %", and the spread if they were measured. Empty if the model does not say.
std::string sharesText(const std::vector<cost::NodeCost>& nodes) {
    std::map<std::string_view, double> shares;
    double spread = 0.0;
    double whole = 0.0;
    for (const cost::NodeCost& node : nodes) {
        for (const cost::CostShare& share : node.shares) shares[share.name] += share.cost;
        spread += node.spread;
        whole += node.cost;
    }
    std::string text;
    for (const auto& [name, cost] : shares) {
        if (whole > 0.0) text += fmt::format("{}{} {:.0f} %", text.empty() ? "  " : ", ", name, 100.0 * cost / whole);
    }
    if (spread > 0.0) text += fmt::format(", spread {:.4g}", spread);
    return text;
}

/// The number of occurrences of each operator, counted in the tree, or in the graph if the program is one.
std::map<std::string, std::uint64_t> operatorCounts(const ir::TermBank& bank, const ir::Program& program) {
    std::map<std::string, std::uint64_t> counts;
    ir::forEachNode(bank, program.root, bank.function(program.function).sharing, [&](const ir::Path&, ir::TermId term) {
        ++counts[std::string(bank.opName(term))];
        return true;
    });
    return counts;
}

void printFunctions(const CommonOptions& options, const OpenProgram& open, const Json& report) {
    const ir::TermBank& bank = *open.bank;
    fmt::print("{}: {} function{}\n", options.file, open.read.module.functions.size(),
               open.read.module.functions.size() == 1 ? "" : "s");
    for (const ir::FunctionId id : open.read.module.functions) {
        const ir::Function& f = bank.function(id);
        fmt::print("  {} {}{}\n", id == open.program.function ? "*" : " ", signature(bank, f),
                   f.body.isValid() ? "" : "  (external)");
    }
    for (const auto& request : report["derivatives"])
        fmt::print("    derivative requested: {}\n", request.get<std::string>());
}

Result<int> describeEGraph(const CommonOptions& options) {
    MITOS_TRY(const OpenGraph graph, openGraph(options));
    const egraph::Snapshot& snapshot = graph.snapshot;
    const egraph::Statistics found = egraph::statisticsOf(snapshot);
    const InterruptGuard interrupt;
    MITOS_TRY(const ShownExtraction extraction, shownExtraction(snapshot, {}, interrupt.token()));
    const std::size_t infeasible = extract::infeasibleClasses(extract::makeProblem(snapshot)).size();
    const std::string largest = snapshot.classes.empty() ? "" : snapshot.classes[found.largestClass].id;
    Json roots = Json::array();
    for (const std::uint32_t root : snapshot.roots) roots.push_back(snapshot.classes[root].id);
    if (options.json) {
        print(Json{
            {"file", options.file},
            {"nodes", snapshot.nodes.size()},
            {"classes", snapshot.classes.size()},
            {"roots", std::move(roots)},
            {"edges", found.edges},
            {"subsumed", found.subsumed},
            {"acyclic", found.isAcyclic},
            {"infeasible_classes", infeasible},
            {"largest_class", found.largestSize == 0 ? Json() : Json{{"id", largest}, {"nodes", found.largestSize}}},
            {"operators", found.operators},
            {"least_cost", found.leastCost},
            {"greatest_cost", found.greatestCost},
            {"extraction",
             extraction.cost ? Json{{"method", extraction.method}, {"cost", *extraction.cost}} : Json()}});
        return Success;
    }
    fmt::print("{}: an e-graph\n\ne-nodes   {}{}\nclasses   {}{}\nedges     {}\n", options.file, snapshot.nodes.size(),
               found.subsumed == 0 ? "" : fmt::format(", {} of them subsumed", found.subsumed), snapshot.classes.size(),
               infeasible == 0 ? "" : fmt::format(", {} of them without a finite term", infeasible), found.edges);
    fmt::print("roots    ");
    for (const Json& root : roots) fmt::print(" {}", root.get<std::string>());
    fmt::print("{}\n", roots.empty() ? " none" : "");
    if (found.largestSize > 0) {
        fmt::print("largest   class {} with {} e-node{}\n", largest, found.largestSize,
                   found.largestSize == 1 ? "" : "s");
    }
    fmt::print("cycles    {}\ncosts     {} to {} an e-node; {}\n",
               found.isAcyclic ? "none" : "some class depends on itself", found.leastCost, found.greatestCost,
               extraction.about);
    fmt::print("operators");
    for (const auto& [name, count] : found.operators) fmt::print(" {}×{}", name, count);
    fmt::print("\n");
    return Success;
}

/// The models that apply to the program; the default of its dialect comes first.
Result<std::vector<std::shared_ptr<const cost::CostModel>>> modelsFor(const OpenProgram& open) {
    MITOS_TRY(auto usual, cost::findCostModel(open.dialect().defaultCost, open.dialect().name));
    auto models = cost::costModelsFor(open.dialect().name);
    std::erase_if(models, [&](const auto& model) { return model->info().name == usual->info().name; });
    models.insert(models.begin(), std::move(usual));
    return models;
}

Result<int> runInfo(CommonOptions options, const std::vector<const CLI::Option*>& ofPrograms) {
    MITOS_REQUIRE(options.settle());
    if (isEGraph(options)) {
        MITOS_REQUIRE(requireForEGraph(ofPrograms));
        return describeEGraph(options);
    }
    Result<OpenProgram> open = openModule(options, dialects::makeRegistry());
    if (!open) return open.error();
    const ir::TermBank& bank = *open->bank;
    Json report{{"file", options.file}};
    report["functions"] = Json::array();
    for (const ir::FunctionId id : open->read.module.functions) {
        const ir::Function& f = bank.function(id);
        report["functions"].push_back(
            {{"name", f.name}, {"signature", signature(bank, f)}, {"external", !f.body.isValid()}});
    }
    report["derivatives"] = Json::array();
    for (const ks::DerivativeRequest& request : open->read.module.derivatives) {
        report["derivatives"].push_back(fmt::format("{} {}", request.derivation, request.name));
    }
    report["rules"] = open->read.module.rules.size();

    Result<ir::Program> program = storage::chosenProgram(bank, open->read, options.program, options.function);
    const bool declarationsOnly =
        options.function.empty() && (!open->read.module.functions.empty() || !open->read.module.rules.empty());
    if (!program && !declarationsOnly) return program.error();
    if (!program) {
        // The file contains only declarations, such as a prelude; they are listed.
        if (options.json) {
            print(report);
            return Success;
        }
        printFunctions(options, *open, report);
        fmt::print("\nno program: nothing in this file has a body\n");
        return Success;
    }
    open->program = *program;
    const ir::Function& function = bank.function(program->function);
    report["program"] = function.name;
    report["signature"] = signature(bank, function);
    report["sizes"] = Json::array();
    for (const ir::SizeName& size : function.sizes) report["sizes"].push_back(std::string(bank.text(size.name)));
    const std::uint64_t nodes = ir::sizeOf(bank, program->root, open->sharing());
    report["dialect"] = function.dialect;
    report["nodes"] = nodes;
    report["depth"] = bank.depth(program->root);
    report["operators"] = Json::object();
    for (const auto& [name, count] : operatorCounts(bank, *program)) report["operators"][name] = count;
    report["costs"] = Json::object();
    MITOS_TRY(const auto models, modelsFor(*open));
    std::size_t width = 0;
    for (const auto& model : models) {
        MITOS_TRY(const double cost, open->costs(*model)->cost(program->root));
        report["costs"][model->info().name] = cost;
        width = std::max(width, model->info().name.size());
    }
    if (options.json) {
        print(report);
        return Success;
    }
    printFunctions(options, *open, report);
    fmt::print("\nprogram   {}\nnodes     {}\ndepth     {}\n", function.name, nodes, bank.depth(program->root));
    for (const auto& model : models) {
        const cost::CostModelInfo& info = model->info();
        std::string shares;
        if (open->dialect().sharesNodes()) {
            MITOS_TRY(const std::vector<cost::NodeCost> nodes, open->costs(*model)->explainNodes(program->root));
            shares = sharesText(nodes);
        }
        fmt::print("cost      {:<{}} {:>16.6g} {}{}\n", info.name, width, report["costs"][info.name].get<double>(),
                   info.unit, shares);
    }
    fmt::print("operators");
    for (const auto& [name, count] : operatorCounts(bank, *program)) fmt::print(" {}×{}", name, count);
    fmt::print("\n");
    return Success;
}

/// One level of a node: "Relu(x)", "b(a) takes 3".
std::string nodeText(const ir::TermBank& bank, ir::TermId node) {
    const ir::Dialect& dialect = ir::dialectOf(bank, node);
    return dialect.name == tensor::DialectName ? tensor::termText(bank, node, 1) : dialect.printTerm(bank, node, {});
}

/// A graph's nodes with their costs, one per line.
std::string nodeTable(const ir::TermBank& bank, ir::TermId root, const std::vector<cost::CostPart>& parts) {
    std::string text;
    std::size_t next = 0;
    ir::forEachShared(bank, root, [&](const ir::Path& path, ir::TermId node) {
        const cost::CostPart& part = parts[next++];
        text += fmt::format("{:<48}  {:<12} {:<28} own {:<10.6g} total {:.6g}\n", nodeText(bank, node),
                            shortPosition(path), tensor::typeText(bank.types(), bank.type(node)), part.own * part.times,
                            part.total * part.times);
        return true;
    });
    return text;
}

struct ShowOptions : CommonOptions {
    std::string as = "text";
    EGraphFlags egraph;
    std::vector<const CLI::Option*> ofPrograms;
};

Result<int> showEGraph(const ShowOptions& options) {
    MITOS_REQUIRE(requireForEGraph(options.ofPrograms));
    if (options.as != "text" && options.as != "dot" && options.as != "svg") {
        return inputError(fmt::format("an e-graph cannot be shown as {}", options.as), "--as text, dot or svg");
    }
    MITOS_TRY(const OpenGraph graph, openGraph(options));
    const InterruptGuard interrupt;
    MITOS_TRY(const ShownExtraction extraction,
              shownExtraction(graph.snapshot, options.egraph.method, interrupt.token()));
    MITOS_TRY(const std::string text, drawnGraph(graph.snapshot, extraction, options.as, options.egraph));
    if (options.json) {
        print(Json{{"as", options.as}, {"text", text}});
    } else {
        fmt::print("{}", text);
    }
    return Success;
}

Result<int> runShow(ShowOptions options) {
    MITOS_REQUIRE(options.settle());
    if (isEGraph(options)) return showEGraph(options);
    MITOS_REQUIRE(requireForProgram(options.egraph.options));
    const std::string& as = options.as;
    MITOS_TRY(OpenProgram open, openProgram(options, dialects::makeRegistry()));
    const ir::TermBank& bank = *open.bank;
    std::string text;
    if (as == "text") {
        text = dialects::printProgram(bank, open.program) + "\n";
    } else if (as == "math" || as == "latex") {
        const ir::MathForm form = as == "math" ? ir::MathForm::Text : ir::MathForm::Latex;
        for (const ir::FunctionId callee : ir::callOrder(bank, open.program)) {
            const ir::Program called{callee, bank.function(callee).body};
            if (called.root.isValid()) text += dialects::printMath(bank, called, form).text + "\n\n";
        }
        text += dialects::printMath(bank, open.program, form).text + "\n";
    } else if (as == "tree") {
        MITOS_TRY(std::shared_ptr<const cost::CostModel> model,
                  openCostModel(options, open.bank->registry(), open.dialect().name));
        MITOS_TRY(const std::vector<cost::CostPart> explained, open.costs(*model)->explain(open.program.root));
        const std::vector<cost::CostPart>& parts = explained;
        std::size_t next = 0;
        text = open.dialect().sharesNodes()
                   ? nodeTable(bank, open.program.root, parts)
                   : ir::treeText(bank, open.program.root, [&](const ir::Path& path, ir::TermId term) {
                         const cost::CostPart& part = parts[next++];
                         return fmt::format("{:<12} {:<28} own {:<10.6g} total {:.6g}", shortPosition(path),
                                            bank.types().toString(bank.type(term)), part.own * part.times,
                                            part.total * part.times);
                     });
    } else if (as == "loops") {
        if (open.dialect().name != ks::DialectName) {
            return inputError(fmt::format("a {} program has no loop form", open.dialect().name), "--as tree or svg");
        }
        const loops::OwnProgram own = loops::withStaticVectors(bank, open.program);
        MITOS_TRY(const loops::Program form, loops::lower(*own.bank, own.program));
        text = loops::text(*own.bank, form);
    } else {
        text = ir::dotText(bank, open.program.root, open.sharing(), ir::MostDrawn, ir::labelOf);
        if (as == "svg") {
            MITOS_TRY(text, drawDot(text));
        }
    }
    if (options.json) {
        print(Json{{"as", as}, {"text", text}});
    } else {
        fmt::print("{}", text);
    }
    return Success;
}

Result<eval::Inputs> inputsFromJson(ir::TermBank& bank, const ir::Function& function, const std::string& text) {
    constexpr std::size_t MaxNesting = 500;  // types are nested up to 200 levels
    if (jsonNesting(text) > MaxNesting) {
        return Error{ErrorCode::Limit, fmt::format("--inputs is nested more than {} levels deep", MaxNesting),
                     std::nullopt, "inputs have the types of the parameters: " + signature(bank, function)};
    }
    const Json all = Json::parse(text, nullptr, false);
    if (all.is_discarded() || !all.is_array()) {
        return inputError("--inputs is not a JSON array", "one element a parameter, e.g. --inputs '[2.0, [1.0, 2.0]]'");
    }
    const std::size_t extra = static_cast<std::size_t>(
        std::ranges::count_if(function.sizes, [](const ir::SizeName& s) { return !s.parameter.has_value(); }));
    if (all.size() != function.parameters.size() + extra) {
        return inputError(
            fmt::format("{} takes {} inputs, {} given", function.name, function.parameters.size() + extra, all.size()),
            "its signature is " + signature(bank, function));
    }
    eval::Inputs inputs;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool isSize = i >= function.parameters.size();
        const ir::TypeId type = isSize ? bank.types().integer() : bank.types().erased(function.parameters[i].type);
        Result<eval::Value> value = eval::valueFromJson(bank, type, all[i].dump());
        if (!value) {
            Error error = std::move(value).error();
            error.message = fmt::format("input {}: {}", i + 1, error.message);
            return error;
        }
        if (isSize) {
            inputs.extraSizes.push_back(value->asInteger());
        } else {
            inputs.arguments.push_back(*std::move(value));
        }
    }
    return inputs;
}

struct EvalOptions : CommonOptions {
    std::string inputs;
    bool random = false;
    std::uint64_t seed = 1;
    std::uint64_t steps = eval::Limits{}.steps;
};

/// Random inputs on which the program has a value, if some are found quickly; many programs are only defined for matching sizes.
/// Otherwise the last inputs drawn, so that running the program on them shows the error.
Result<eval::Inputs> definedInputs(const ir::TermBank& bank, const ir::Program& program, const EvalOptions& options) {
    constexpr int Attempts = 32;
    Random random(options.seed);
    Result<eval::Inputs> inputs = eval::Inputs{};
    for (int attempt = 0; attempt < Attempts; ++attempt) {
        const bool equalSizes = attempt % 2 == 1;
        inputs = eval::randomInputs(bank, bank.function(program.function), random, {.equalSizes = equalSizes});
        if (!inputs) break;
        const Result<eval::Evaluation> found = eval::evaluate(bank, program, *inputs, {.steps = options.steps});
        // A program that exceeds the limits on these inputs will exceed them on others too.
        if (found || found.error().code != ErrorCode::Evaluation) break;
    }
    return inputs;
}

Result<int> runEval(EvalOptions options) {
    MITOS_REQUIRE(options.settle());
    MITOS_TRY(OpenProgram open, openModule(options, dialects::makeRegistry()));
    ir::TermBank& bank = *open.bank;
    // The entry of a file is `main`; without one, the program that every other command would select.
    const ir::FunctionId entry =
        options.function.empty() ? bank.findFunction("main", bank.types().unit()) : ir::FunctionId();
    MITOS_TRY(ir::Program program, entry.isValid() && bank.function(entry).body.isValid()
                                       ? Result<ir::Program>(ir::Program{entry, bank.function(entry).body})
                                       : storage::chosenProgram(bank, open.read, options.program, options.function));
    const ir::Function function = bank.function(program.function);

    Result<eval::Inputs> inputs = eval::Inputs{};
    if (!options.inputs.empty()) {
        std::string text = options.inputs;
        if (text.starts_with("@")) {
            MITOS_TRY(SourceText file, readSourceFile(text.substr(1)));
            text = std::string(file.text());
        }
        inputs = inputsFromJson(bank, function, text);
    } else if (options.random) {
        inputs = definedInputs(bank, program, options);
    } else if (!function.parameters.empty()) {
        inputs = inputError(fmt::format("{} needs inputs", signature(bank, function)),
                            "give --inputs '[…]' (JSON, one element a parameter), --inputs @FILE, or --random");
    }
    if (!inputs) return inputs.error();

    const InterruptGuard interrupt;
    inputs->weights = open.weights();
    Result<eval::Evaluation> result =
        eval::evaluate(bank, program, *inputs, eval::Limits{.steps = options.steps, .stop = interrupt.token()});
    if (!result) return result.error();
    Json arguments = Json::array();
    for (const eval::Value& value : inputs->arguments) arguments.push_back(Json::parse(eval::toJson(value)));
    if (options.json) {
        print(Json{{"function", function.name},
                   {"inputs", arguments},
                   {"value", Json::parse(eval::toJson(result->value))},
                   {"printed", result->printed},
                   {"steps", result->steps}});
        return Success;
    }
    if (options.random) fmt::print("inputs {} (seed {})\n", arguments.dump(), options.seed);
    fmt::print("{}", result->printed);
    if (!result->printed.empty() && !result->printed.ends_with('\n')) fmt::print("\n");
    fmt::print("{}\n", eval::toString(result->value, 1000));
    return Success;
}

}  // namespace

void addInfoCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command =
        app.add_subcommand("info", "operators, types, shapes, cost under each model; the sizes of an e-graph");
    auto options = std::make_shared<CommonOptions>();
    options->addFile(*command);
    const std::vector<const CLI::Option*> ofPrograms{command->get_option("--function")};
    command->callback(
        [options, ofPrograms, choose] { choose([options, ofPrograms] { return runInfo(*options, ofPrograms); }); });
}

void addShowCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand("show", "print or draw a program or an e-graph");
    auto options = std::make_shared<ShowOptions>();
    options->addFile(*command);
    options->addCost(*command);
    command
        ->add_option(
            "--as", options->as,
            "text, math (as on paper), latex, tree (with types and costs), loops (with their work), dot or svg; "
            "e-graphs: text, dot or svg")
        ->check(CLI::IsMember({"text", "math", "latex", "tree", "loops", "dot", "svg"}))
        ->capture_default_str();
    options->egraph.addMethod(*command);
    options->egraph.addLimit(*command);
    for (const char* const name : {"--function", "--cost", "--set-cost"}) {
        options->ofPrograms.push_back(command->get_option(name));
    }
    command->callback([options, choose] { choose([options] { return runShow(*options); }); });
}

void addEvalCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand("eval", "run a program: the file's main, or --function on --inputs");
    auto options = std::make_shared<EvalOptions>();
    options->addFile(*command);
    command->add_option("--inputs", options->inputs, "JSON array, one element a parameter; @FILE reads it from a file");
    command->add_flag("--random", options->random, "random inputs of the right types");
    command->add_option("--seed", options->seed, "of the random inputs")->check(wholeNumber())->capture_default_str();
    command->add_option("--steps", options->steps, "give up after so many operator applications")
        ->capture_default_str();
    command->callback([options, choose] { choose([options] { return runEval(*options); }); });
}

}  // namespace mitos::cli
