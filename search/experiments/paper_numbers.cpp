// SPDX-License-Identifier: GPL-3.0-or-later
// See paper_numbers.h.
#include "search/experiments/paper_numbers.h"

#include "core/base/suggestion.h"

#include <algorithm>
#include <array>
#include <vector>

namespace mitos::search::experiments {

namespace {

// Table 1.
constexpr std::array Columns{
    PaperInitialCosts{"bert", 0.93, 2.75, 0.93},
    PaperInitialCosts{"inception-v3", 0.79, 410938.5, 0.79},
    PaperInitialCosts{"mobilenet-v2", 1.06, 421.32, 1.06},
    PaperInitialCosts{"nasnet-a", 3.45, 6.85e12, 3.59},
    PaperInitialCosts{"nasrnn", 2.48, 2319.06, 2.48},
    PaperInitialCosts{"resnet-50", 0.29, 1565.76, 0.29},
    PaperInitialCosts{"resnext-50", 1.26, 15162.62, 1.26},
    PaperInitialCosts{"squeezenet", 0.57, 41.51, 0.57},
    PaperInitialCosts{"vgg-19", 0.61, 0.61, 0.61},
    PaperInitialCosts{"transformer-transducer", 3.25, 6311745500.0, 3.25},
    PaperInitialCosts{"vit-base", 1.93, 2982248400.0, 1.93},
    PaperInitialCosts{"vit-large", 5.15, 2.55e20, 5.15},
    PaperInitialCosts{"vit-huge", 11.65, 6.44e27, 11.65},
};

// Table 2: model, approach, k_multi, gain in per cent, time in seconds.
constexpr std::array Rows{
    PaperResult{"bert", "mcts-dcf-dcf", 0, {-0.16, 0.16}, {43.00, 4.47}},
    PaperResult{"bert", "mcts-dcf-ilp", 0, {0.72, 1.55}, {41.60, 1.52}},
    PaperResult{"bert", "mcts-ocf-ocf", 0, {-0.10, 0.22}, {46.60, 5.81}},
    PaperResult{"bert", "mcts-ocf-ilp", 0, {14.63, 7.65}, {43.80, 7.60}},
    PaperResult{"bert", "mcts-ilp-ilp", 0, {18.20, 3.92}, {1178.60, 395.89}},
    PaperResult{"bert", "tensat", 1, {18.27, 0.33}, {1.14, 0.06}},
    PaperResult{"inception-v3", "mcts-dcf-dcf", 0, {-0.05, 0.30}, {3.00, 0.00}},
    PaperResult{"inception-v3", "mcts-dcf-ilp", 0, {0.51, 0.47}, {3.00, 0.00}},
    PaperResult{"inception-v3", "mcts-ocf-ocf", 0, {1.06, 1.68}, {3.00, 0.00}},
    PaperResult{"inception-v3", "mcts-ocf-ilp", 0, {-0.01, 1.15}, {3.40, 0.55}},
    PaperResult{"inception-v3", "mcts-ilp-ilp", 0, {0.25, 0.26}, {3.00, 0.00}},
    PaperResult{"inception-v3", "tensat", 2, {0.36, 0.56}, {0.89, 0.07}},
    PaperResult{"mobilenet-v2", "mcts-dcf-dcf", 0, {4.05, 2.55}, {1149.80, 144.60}},
    PaperResult{"mobilenet-v2", "mcts-dcf-ilp", 0, {2.94, 11.30}, {992.00, 328.22}},
    PaperResult{"mobilenet-v2", "mcts-ocf-ocf", 0, {-3.61, 1.06}, {419.40, 219.31}},
    PaperResult{"mobilenet-v2", "mcts-ocf-ilp", 0, {-0.36, 1.60}, {387.60, 108.86}},
    PaperResult{"mobilenet-v2", "mcts-ilp-ilp", 0, {4.16, 2.03}, {754.00, 225.11}},
    PaperResult{"mobilenet-v2", "tensat", 1, {1.52, 1.00}, {0.93, 0.03}},
    PaperResult{"nasnet-a", "mcts-dcf-dcf", 0, {18.29, 4.07}, {898.00, 185.95}},
    PaperResult{"nasnet-a", "mcts-dcf-ilp", 0, {21.46, 3.55}, {777.60, 107.27}},
    PaperResult{"nasnet-a", "mcts-ocf-ocf", 0, {16.55, 0.18}, {1043.60, 60.66}},
    PaperResult{"nasnet-a", "mcts-ocf-ilp", 0, {17.71, 0.50}, {1114.40, 67.12}},
    PaperResult{"nasnet-a", "mcts-ilp-ilp", 0, {19.62, 0.29}, {305.00, 5.43}},
    PaperResult{"nasnet-a", "tensat", 1, {11.18, 0.08}, {0.45, 0.03}},
    PaperResult{"nasrnn", "mcts-dcf-dcf", 0, {9.75, 5.49}, {102.20, 4.09}},
    PaperResult{"nasrnn", "mcts-dcf-ilp", 0, {39.96, 1.22}, {107.60, 6.99}},
    PaperResult{"nasrnn", "mcts-ocf-ocf", 0, {20.65, 17.77}, {200.80, 156.27}},
    PaperResult{"nasrnn", "mcts-ocf-ilp", 0, {41.19, 3.50}, {114.60, 2.61}},
    PaperResult{"nasrnn", "mcts-ilp-ilp", 0, {42.07, 3.91}, {2782.00, 1719.55}},
    PaperResult{"nasrnn", "tensat", 3, {36.92, 4.24}, {9.36, 0.74}},
    PaperResult{"resnet-50", "mcts-dcf-dcf", 0, {-0.23, 0.26}, {9.60, 0.55}},
    PaperResult{"resnet-50", "mcts-dcf-ilp", 0, {-1.24, 17.80}, {9.80, 0.45}},
    PaperResult{"resnet-50", "mcts-ocf-ocf", 0, {2.52, 6.21}, {10.00, 0.00}},
    PaperResult{"resnet-50", "mcts-ocf-ilp", 0, {3.60, 8.25}, {10.00, 0.00}},
    PaperResult{"resnet-50", "mcts-ilp-ilp", 0, {-0.22, 0.97}, {23.20, 7.79}},
    PaperResult{"resnet-50", "tensat", 4, {0.43, 0.94}, {2.96, 0.66}},
    PaperResult{"resnext-50", "mcts-dcf-dcf", 0, {72.69, 9.40}, {38.20, 4.97}},
    PaperResult{"resnext-50", "mcts-dcf-ilp", 0, {72.99, 11.90}, {38.80, 4.97}},
    PaperResult{"resnext-50", "mcts-ocf-ocf", 0, {78.06, 0.19}, {97.60, 5.68}},
    PaperResult{"resnext-50", "mcts-ocf-ilp", 0, {77.84, 1.09}, {101.40, 5.59}},
    PaperResult{"resnext-50", "mcts-ilp-ilp", 0, {74.20, 9.54}, {138.60, 5.77}},
    PaperResult{"resnext-50", "tensat", 4, {66.87, 15.36}, {2.69, 1.08}},
    PaperResult{"squeezenet", "mcts-dcf-dcf", 0, {56.41, 0.95}, {283.40, 254.00}},
    PaperResult{"squeezenet", "mcts-dcf-ilp", 0, {47.39, 7.05}, {108.40, 10.26}},
    PaperResult{"squeezenet", "mcts-ocf-ocf", 0, {47.23, 6.60}, {260.80, 203.44}},
    PaperResult{"squeezenet", "mcts-ocf-ilp", 0, {48.16, 8.77}, {337.00, 301.81}},
    PaperResult{"squeezenet", "mcts-ilp-ilp", 0, {50.66, 6.01}, {1450.80, 1437.77}},
    PaperResult{"squeezenet", "tensat", 3, {46.02, 0.91}, {1.55, 0.31}},
    PaperResult{"vgg-19", "mcts-dcf-dcf", 0, {39.72, 0.14}, {1.00, 0.00}},
    PaperResult{"vgg-19", "mcts-dcf-ilp", 0, {39.63, 0.11}, {1.00, 0.00}},
    PaperResult{"vgg-19", "mcts-ocf-ocf", 0, {39.69, 0.35}, {1.00, 0.00}},
    PaperResult{"vgg-19", "mcts-ocf-ilp", 0, {39.69, 0.12}, {1.00, 0.00}},
    PaperResult{"vgg-19", "mcts-ilp-ilp", 0, {39.21, 0.73}, {1.00, 0.00}},
    PaperResult{"vgg-19", "tensat", 1, {39.58, 0.34}, {0.06, 0.00}},
    PaperResult{"transformer-transducer", "mcts-dcf-dcf", 0, {-123.81, 5.35}, {1202.33, 39.12}},
    PaperResult{"transformer-transducer", "mcts-dcf-ilp", 0, {9.68, 4.93}, {1363.00, 8.29}},
    PaperResult{"transformer-transducer", "mcts-ocf-ocf", 0, {8.06, 1.21}, {436.20, 105.31}},
    PaperResult{"transformer-transducer", "mcts-ocf-ilp", 0, {13.02, 1.78}, {577.00, 290.64}},
    PaperResult{"transformer-transducer", "mcts-ilp-ilp", 0, {14.18, 0.19}, {2080.80, 793.04}},
    PaperResult{"transformer-transducer", "tensat", 2, {13.29, 1.67}, {1.35, 0.08}},
    PaperResult{"vit-base", "mcts-dcf-dcf", 0, {2.20, 0.21}, {110.60, 22.57}},
    PaperResult{"vit-base", "mcts-dcf-ilp", 0, {8.34, 2.85}, {115.00, 22.00}},
    PaperResult{"vit-base", "mcts-ocf-ocf", 0, {-0.12, 0.20}, {60.60, 8.62}},
    PaperResult{"vit-base", "mcts-ocf-ilp", 0, {14.60, 0.05}, {61.00, 13.51}},
    PaperResult{"vit-base", "mcts-ilp-ilp", 0, {14.48, 0.08}, {97.80, 2.77}},
    PaperResult{"vit-base", "tensat", 2, {14.47, 0.12}, {0.61, 0.02}},
    PaperResult{"vit-large", "mcts-dcf-dcf", 0, {15.24, 0.02}, {53.40, 6.07}},
    PaperResult{"vit-large", "mcts-dcf-ilp", 0, {6.60, 0.03}, {54.20, 6.06}},
    PaperResult{"vit-large", "mcts-ocf-ocf", 0, {-0.20, 0.11}, {52.20, 7.69}},
    PaperResult{"vit-large", "mcts-ocf-ilp", 0, {9.69, 0.58}, {56.40, 1.67}},
    PaperResult{"vit-large", "mcts-ilp-ilp", 0, {10.77, 0.15}, {35.00, 3.74}},
    PaperResult{"vit-large", "tensat", 2, {10.61, 0.09}, {0.69, 0.03}},
    PaperResult{"vit-huge", "mcts-dcf-dcf", 0, {28.48, 0.07}, {60.80, 12.34}},
    PaperResult{"vit-huge", "mcts-dcf-ilp", 0, {0.02, 0.04}, {69.80, 4.87}},
    PaperResult{"vit-huge", "mcts-ocf-ocf", 0, {-0.06, 0.03}, {62.20, 20.62}},
    PaperResult{"vit-huge", "mcts-ocf-ilp", 0, {0.82, 1.83}, {62.80, 17.08}},
    PaperResult{"vit-huge", "mcts-ilp-ilp", 0, {4.14, 0.07}, {76.60, 1.95}},
    PaperResult{"vit-huge", "tensat", 1, {0.02, 0.05}, {0.49, 0.00}},
};

// Table 3.
constexpr std::array ColumnsP100{
    PaperInitialCosts{"bert", 1.44, 4.93, 1.44},
    PaperInitialCosts{"inception-v3", 2.41, 2253.37, 2.41},
    PaperInitialCosts{"mobilenet-v2", 3.49, 720.25, 3.49},
    PaperInitialCosts{"nasnet-a", 25.77, 4.31e13, 33.86},
    PaperInitialCosts{"nasrnn", 2.6, 2437.84, 2.6},
    PaperInitialCosts{"resnet-50", 9.3, 22029.49, 9.3},
    PaperInitialCosts{"resnext-50", 13.44, 54887.95, 13.44},
    PaperInitialCosts{"squeezenet", 2.07, 125.0, 2.07},
    PaperInitialCosts{"vgg-19", 6.73, 6.73, 6.73},
};

// Table 4: as Table 2.
constexpr std::array RowsP100{
    PaperResult{"bert", "mcts-dcf-dcf", 0, {0.1, 0.1}, {53.0, 3.54}},
    PaperResult{"bert", "mcts-dcf-ilp", 0, {1.49, 0.03}, {52.6, 2.07}},
    PaperResult{"bert", "mcts-ocf-ocf", 0, {0.02, 0.07}, {60.8, 6.76}},
    PaperResult{"bert", "mcts-ocf-ilp", 0, {14.03, 11.47}, {60.6, 4.28}},
    PaperResult{"bert", "mcts-ilp-ilp", 0, {33.71, 0.07}, {1170.6, 1061.79}},
    PaperResult{"bert", "tensat", 1, {22.35, 0.17}, {2.05, 0.47}},
    PaperResult{"inception-v3", "mcts-dcf-dcf", 0, {1.8, 2.1}, {6.2, 0.45}},
    PaperResult{"inception-v3", "mcts-dcf-ilp", 0, {15.93, 1.64}, {6.2, 0.45}},
    PaperResult{"inception-v3", "mcts-ocf-ocf", 0, {-0.24, 1.02}, {6.6, 0.55}},
    PaperResult{"inception-v3", "mcts-ocf-ilp", 0, {18.94, 2.18}, {6.2, 0.45}},
    PaperResult{"inception-v3", "mcts-ilp-ilp", 0, {17.06, 1.43}, {7.4, 0.55}},
    PaperResult{"inception-v3", "tensat", 2, {18.34, 1.57}, {2.84, 0.08}},
    PaperResult{"mobilenet-v2", "mcts-dcf-dcf", 0, {-0.91, 0.49}, {573.2, 41.69}},
    PaperResult{"mobilenet-v2", "mcts-dcf-ilp", 0, {-0.64, 0.79}, {596.8, 40.18}},
    PaperResult{"mobilenet-v2", "mcts-ocf-ocf", 0, {-0.28, 0.53}, {285.0, 114.4}},
    PaperResult{"mobilenet-v2", "mcts-ocf-ilp", 0, {0.96, 1.18}, {357.8, 109.9}},
    PaperResult{"mobilenet-v2", "mcts-ilp-ilp", 0, {0.12, 0.46}, {2106.2, 294.56}},
    PaperResult{"mobilenet-v2", "tensat", 1, {-0.68, 1.2}, {3.4, 0.14}},
    PaperResult{"nasnet-a", "mcts-dcf-dcf", 0, {-136.91, 10.88}, {487.4, 120.42}},
    PaperResult{"nasnet-a", "mcts-dcf-ilp", 0, {22.53, 1.87}, {542.6, 218.48}},
    PaperResult{"nasnet-a", "mcts-ocf-ocf", 0, {7.19, 2.57}, {470.8, 224.58}},
    PaperResult{"nasnet-a", "mcts-ocf-ilp", 0, {23.14, 1.53}, {466.0, 150.52}},
    PaperResult{"nasnet-a", "mcts-ilp-ilp", 0, {23.38, 1.72}, {403.2, 74.25}},
    PaperResult{"nasnet-a", "tensat", 1, {17.83, 0.29}, {1.46, 0.04}},
    PaperResult{"nasrnn", "mcts-dcf-dcf", 0, {13.49, 11.08}, {127.6, 11.41}},
    PaperResult{"nasrnn", "mcts-dcf-ilp", 0, {4.89, 1.2}, {122.0, 5.79}},
    PaperResult{"nasrnn", "mcts-ocf-ocf", 0, {11.8, 9.36}, {192.6, 83.35}},
    PaperResult{"nasrnn", "mcts-ocf-ilp", 0, {18.93, 12.03}, {174.0, 64.81}},
    PaperResult{"nasrnn", "mcts-ilp-ilp", 0, {18.74, 13.16}, {1218.4, 1330.71}},
    PaperResult{"nasrnn", "tensat", 3, {10.22, 10.04}, {12.81, 3.58}},
    PaperResult{"resnet-50", "mcts-dcf-dcf", 0, {-0.02, 0.12}, {16.0, 0.71}},
    PaperResult{"resnet-50", "mcts-dcf-ilp", 0, {0.29, 0.14}, {16.2, 0.84}},
    PaperResult{"resnet-50", "mcts-ocf-ocf", 0, {0.05, 0.1}, {16.0, 1.22}},
    PaperResult{"resnet-50", "mcts-ocf-ilp", 0, {0.78, 0.63}, {16.8, 0.84}},
    PaperResult{"resnet-50", "mcts-ilp-ilp", 0, {0.66, 0.63}, {16.0, 0.71}},
    PaperResult{"resnet-50", "tensat", 4, {0.31, 0.23}, {4.72, 0.08}},
    PaperResult{"resnext-50", "mcts-dcf-dcf", 0, {27.69, 2.67}, {98.6, 15.21}},
    PaperResult{"resnext-50", "mcts-dcf-ilp", 0, {27.99, 1.15}, {98.4, 4.39}},
    PaperResult{"resnext-50", "mcts-ocf-ocf", 0, {27.69, 1.06}, {117.6, 12.54}},
    PaperResult{"resnext-50", "mcts-ocf-ilp", 0, {28.43, 2.61}, {145.2, 32.39}},
    PaperResult{"resnext-50", "mcts-ilp-ilp", 0, {28.86, 2.16}, {296.0, 18.81}},
    PaperResult{"resnext-50", "tensat", 4, {27.11, 3.61}, {4.82, 0.2}},
    PaperResult{"squeezenet", "mcts-dcf-dcf", 0, {28.89, 4.47}, {209.2, 129.38}},
    PaperResult{"squeezenet", "mcts-dcf-ilp", 0, {29.02, 4.13}, {302.6, 73.46}},
    PaperResult{"squeezenet", "mcts-ocf-ocf", 0, {26.53, 3.25}, {233.6, 66.92}},
    PaperResult{"squeezenet", "mcts-ocf-ilp", 0, {33.17, 11.51}, {365.0, 196.87}},
    PaperResult{"squeezenet", "mcts-ilp-ilp", 0, {32.67, 2.23}, {5544.4, 2817.93}},
    PaperResult{"squeezenet", "tensat", 3, {29.74, 4.52}, {7.47, 2.4}},
    PaperResult{"vgg-19", "mcts-dcf-dcf", 0, {13.71, 4.11}, {1.0, 0.0}},
    PaperResult{"vgg-19", "mcts-dcf-ilp", 0, {14.78, 4.46}, {1.0, 0.0}},
    PaperResult{"vgg-19", "mcts-ocf-ocf", 0, {12.3, 0.89}, {1.0, 0.0}},
    PaperResult{"vgg-19", "mcts-ocf-ilp", 0, {13.03, 1.45}, {1.0, 0.0}},
    PaperResult{"vgg-19", "mcts-ilp-ilp", 0, {11.96, 1.28}, {2.2, 0.45}},
    PaperResult{"vgg-19", "tensat", 1, {12.48, 0.51}, {0.28, 0.01}},
};

template <typename Table>
auto rowWhere(const Table& table, const auto& holds) {
    const auto row = std::ranges::find_if(table, holds);
    return row == table.end() ? std::nullopt : std::optional(*row);
}

struct DeviceName {
    PaperDevice device;
    const char* option;
    const char* name;
};
constexpr std::array Devices{DeviceName{PaperDevice::A100, "a100", "A100"},
                             DeviceName{PaperDevice::P100, "p100", "P100"}};

}  // namespace

const char* toString(PaperDevice device) { return std::ranges::find(Devices, device, &DeviceName::device)->name; }

Result<PaperDevice> paperDeviceNamed(std::string_view name) {
    std::vector<std::string_view> names;
    for (const DeviceName& device : Devices) {
        if (device.option == name) return device.device;
        names.emplace_back(device.option);
    }
    return noSuchName("device of the paper", name, names);
}

std::optional<PaperInitialCosts> paperInitialCosts(PaperDevice device, std::string_view model) {
    const auto isOfModel = [model](const PaperInitialCosts& row) { return row.model == model; };
    return device == PaperDevice::A100 ? rowWhere(Columns, isOfModel) : rowWhere(ColumnsP100, isOfModel);
}

std::optional<PaperResult> paperResult(PaperDevice device, std::string_view model, std::string_view approach) {
    const auto isOf = [&](const PaperResult& row) { return row.model == model && row.approach == approach; };
    return device == PaperDevice::A100 ? rowWhere(Rows, isOf) : rowWhere(RowsP100, isOf);
}

std::optional<std::uint32_t> paperRulesUsed(std::string_view approach) {
    if (approach == "tensat") return 38;
    if (approach == "mcts-ilp-ilp") return 32;
    if (approach == "mcts-ocf-ilp") return 33;
    return std::nullopt;
}

}  // namespace mitos::search::experiments
