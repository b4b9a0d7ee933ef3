#pragma once
/// \file
/// Files of tensors: .npy and raw bytes.

#include "network.hpp"

namespace model {

/// Reads a whole file. Throws `refused`.
std::vector<unsigned char> read_file(const std::string& path);

/// Reads elements from the bytes of a .npy file, or from raw bytes. Checks type and number of elements against a tensor.
std::vector<unsigned char> read_input(std::vector<unsigned char> bytes, const tensor& to);

/// Writes a tensor as .npy. Elements of other types than int8 to int64 are written as bytes.
void write_npy(const std::string& path, const tensor& t, const unsigned char* data);

}  // namespace model
