/// Writes a binary property list in which some strings are replaced.
///
/// Containers can share a string node, so the reference in the container is replaced, not the string itself.
struct BinaryPropertyListRewriting {
  let list: BinaryPropertyList
  private var strings: [String] = []
  private var nodes: [String: Int] = [:]
  private var replacements: [Int: [Int: Int]] = [:]

  init(_ list: BinaryPropertyList) { self.list = list }

  /// Makes a container refer to `string` in place of the node `old`.
  mutating func replace(_ old: Int, in container: Int, with string: String) {
    let node = nodes[string] ?? list.nodes.count + strings.count
    if nodes.updateValue(node, forKey: string) == nil { strings.append(string) }
    replacements[container, default: [:]][old] = node
  }

  /// The bytes of the new file.
  var bytes: [UInt8] {
    let count = list.nodes.count + strings.count
    let width = BigEndian.width(of: count)
    var bytes = BinaryPropertyList.Trailer.signature
    var offsets: [Int] = []
    for index in list.nodes.indices {
      offsets.append(bytes.count)
      append(index, referenceWidth: width, to: &bytes)
    }
    for string in strings {
      offsets.append(bytes.count)
      append(string, to: &bytes)
    }
    let table = bytes.count
    let offsetWidth = BigEndian.width(of: table)
    for offset in offsets { BigEndian.append(offset, width: offsetWidth, to: &bytes) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(width)]
    for field in [count, list.root, table] { BigEndian.append(field, width: 8, to: &bytes) }
    return bytes
  }

  private func append(_ index: Int, referenceWidth: Int, to bytes: inout [UInt8]) {
    let start = list.offsets[index]
    guard let first = list.nodes[index].references.first else {
      bytes += list.bytes[start..<start + list.lengths[index]]
      return
    }
    bytes += list.bytes[start..<first.start]
    let replaced = replacements[index] ?? [:]
    for references in list.nodes[index].references {
      for position in 0..<references.count {
        let target = list.target(position, of: references)
        BigEndian.append(replaced[target] ?? target, width: referenceWidth, to: &bytes)
      }
    }
  }

  /// Appends a string as ASCII if possible, otherwise as UTF-16. Class names are always ASCII.
  private func append(_ string: String, to bytes: inout [UInt8]) {
    let isASCII = string.utf8.allSatisfy { $0 < 0x80 }
    bytes += [isASCII ? 0x5F : 0x6F, 0x13]
    BigEndian.append(isASCII ? string.utf8.count : string.utf16.count, width: 8, to: &bytes)
    if isASCII {
      bytes += string.utf8
    } else {
      for unit in string.utf16 { BigEndian.append(Int(unit), width: 2, to: &bytes) }
    }
  }
}
