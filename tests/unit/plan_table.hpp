#pragma once
/// \file
/// The expected algorithm of each layer, and how it reads its LHS. plan_test.cpp compares them.

/// Layer and format | packed on sse41 | packed on avx2 | packed on avx512vnni | not packed on avx2
constexpr const char* expected_plans =
    R"(MobileNetV2 stem a8w8 | tiles, copied_windows | tiles, lines | tiles, lines | packing, copied_windows
MobileNetV2 stem a16w8 | tiles, copied_windows | tiles, lines | tiles, lines | packing, copied_windows
MobileNetV2 1 project a8w8 | tiles, matrix | tiles, matrix | tiles, matrix | packing, matrix
MobileNetV2 1 project a16w8 | tiles, matrix | tiles, matrix | tiles, matrix | packing, matrix
MobileNetV2 3 expand a8w8 | tiles, matrix | tiles, matrix | tiles, matrix | packing, matrix
MobileNetV2 3 expand a16w8 | tiles, matrix | tiles, matrix | tiles, matrix | packing, matrix
MobileNetV2 15 project a8w8 | tiles, matrix | tiles, matrix | tiles, matrix | packing, matrix
MobileNetV2 15 project a16w8 | tiles, matrix | tiles, matrix | tiles, matrix | packing, matrix
MobileNetV2 classes a8w8 | one_row | one_row | tiles | gemv
MobileNetV2 classes a16w8 | one_row | one_row | tiles | gemv
ResNet-18 stem a8w8 | tiles, copied_windows | tiles, lines | tiles, lines | packing, copied_windows
ResNet-18 stem a16w8 | tiles, copied_windows | tiles, lines | tiles, lines | packing, copied_windows
ResNet-18 1.1 a8w8 | tiles, lines | tiles, lines | tiles, lines | packing, lines
ResNet-18 1.1 a16w8 | tiles, lines | tiles, lines | tiles, lines | packing, lines
ResNet-18 2.1 shortcut a8w8 | tiles, copied_rows | tiles, copied_rows | tiles, copied_rows | packing, copied_rows
ResNet-18 2.1 shortcut a16w8 | tiles, copied_rows | tiles, copied_rows | tiles, copied_rows | packing, copied_rows
ResNet-18 4.2 a8w8 | tiles, lines | tiles, lines | tiles, lines | packing, copied_rows
ResNet-18 4.2 a16w8 | tiles, lines | tiles, lines | tiles, lines | packing, copied_rows
person detection stem a8w8 | tiles, copied_windows | pixel_tiles, lines | pixel_tiles, lines | packing, copied_windows
person detection stem a16w8 | tiles, copied_windows | pixel_tiles, lines | pixel_tiles, lines | packing, copied_windows
person detection classes a8w8 | dot_products | dot_products | dot_products | dot_products
person detection classes a16w8 | dot_products | dot_products | dot_products | dot_products
DS-CNN stem a8w8 | tiles, lines | tiles, lines | tiles, copied_windows | packing, lines
DS-CNN stem a16w8 | tiles, lines | tiles, lines | tiles, copied_windows | packing, lines
DS-CNN classes a8w8 | one_row | one_row | tiles | portable
DS-CNN classes a16w8 | one_row | one_row | tiles | portable
NSNet2 first a8w8 | one_row | one_row | tiles | gemv
NSNet2 first a16w8 | one_row | one_row | tiles | gemv
NSNet2 cell a8w8 | one_row | one_row | tiles | gemv
NSNet2 cell a16w8 | one_row | one_row | tiles | gemv
3x3 /2 of 24 channels a8w8 | tiles, lines | tiles, lines | tiles, lines | packing, lines
3x3 /2 of 24 channels a16w8 | tiles, lines | tiles, lines | tiles, lines | packing, lines
3x3 of 5 channels, 7x7 a8w8 | tiles, copied_windows | tiles, copied_windows | tiles, copied_windows | packing, copied_windows
3x3 of 5 channels, 7x7 a16w8 | tiles, copied_windows | tiles, copied_windows | tiles, copied_windows | packing, copied_windows
3x3 in 32 groups of 4 a8w8 | group_tiles, lines | group_tiles, lines | group_tiles, lines | group_tiles, lines
3x3 in 32 groups of 4 a16w8 | group_tiles, lines | group_tiles, lines | group_tiles, lines | group_tiles, lines
3x3 in 8 groups of 3 a8w8 | group_tiles, lines | group_tiles, lines | group_tiles, lines | packing, copied_windows
3x3 in 8 groups of 3 a16w8 | group_tiles, lines | group_tiles, lines | group_tiles, lines | packing, copied_windows
one channel a8w8 | dot_products | dot_products | dot_products | dot_products
one channel a16w8 | dot_products | dot_products | dot_products | dot_products
three channels a8w8 | dot_products | dot_products | dot_products | dot_products
three channels a16w8 | dot_products | dot_products | dot_products | dot_products
four channels a8w8 | tiles | tiles | tiles | packing
four channels a16w8 | tiles | tiles | tiles | packing
few products a8w8 | one_row | one_row | tiles | portable
few products a16w8 | one_row | one_row | tiles | portable
four rows a8w8 | tiles | tiles | tiles | packing
four rows a16w8 | tiles | tiles | tiles | packing
)";

/// Layer | sse41 | avx2 | avx512vnni | NEON: the algorithm, the windows and the copies of the last channels.
constexpr const char* expected_depthwise_plans =
    R"(MobileNetV2 1 depthwise | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors
MobileNetV2 2 depthwise | whole_tiles, any, vectors | whole_tiles, any, vectors | whole_tiles, any, vectors | whole_tiles, any, vectors
MobileNetV2 3 depthwise | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | repeated_tile, three_by_three, vectors | whole_tiles, three_by_three, vectors
MobileNetV2 4 depthwise | whole_tiles, any, vectors | whole_tiles, any, vectors | repeated_tile, any, vectors | whole_tiles, any, vectors
MobileNetV2 5 depthwise | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors
MobileNetV2 15 depthwise | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors
DS-CNN 1 depthwise | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors
person detection 1 depthwise | whole_tiles, three_by_three, vectors | joined_pixels, three_by_three, parts | joined_pixels, three_by_three, parts | whole_tiles, three_by_three, vectors
person detection 2 depthwise | whole_tiles, any, vectors | whole_tiles, any, vectors | joined_pixels, any, parts | whole_tiles, any, vectors
person detection 3 depthwise | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors
person detection 12 depthwise | whole_tiles, any, vectors | whole_tiles, any, vectors | whole_tiles, any, vectors | whole_tiles, any, vectors
person detection 13 depthwise | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors | whole_tiles, three_by_three, vectors
micro_speech | whole_tiles, any, shuffled | joined_pixels, any, shuffled | joined_pixels, any, shuffled | whole_tiles, any, elements
40 channels | whole_tiles, three_by_three, vectors | repeated_tile, three_by_three, vectors | repeated_tile, three_by_three, vectors | whole_tiles, three_by_three, vectors
3 channels | joined_pixels, three_by_three, parts | joined_pixels, three_by_three, parts | joined_pixels, three_by_three, parts | padded_tile, three_by_three, elements
a window of 17 x 17 | portable | portable | portable | portable
)";
