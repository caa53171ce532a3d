extension BinaryPropertyList {
  /// No class has a longer key. The limit keeps many dictionaries from hashing one long key again and again.
  private static let longestKey = 256

  /// The entries of a dictionary by key; nil if the node is something else.
  func entries(_ index: Int) throws(ArchiveError) -> [String: Int]? {
    guard case .dictionary(let keys, let values) = nodes[index] else { return nil }
    var entries: [String: Int] = [:]
    for position in 0..<keys.count {
      guard let key = string(target(position, of: keys)), key.utf8.count <= Self.longestKey,
        entries.updateValue(target(position, of: values), forKey: key) == nil
      else { throw ArchiveError(.malformed("key of a dictionary"), offset: offsets[index]) }
    }
    return entries
  }
}
