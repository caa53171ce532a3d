/// Chooses the log in an archive by file name. An Android bug report is a zip file with hundreds of files.
enum ArchiveMember {
  enum Choice: Equatable {
    case none
    case one(String)
    case several([String])
  }

  private static let extensions = [
    ".btsnoop", ".snoop", ".cfa", ".pcap", ".pcapng", ".cap", ".pklg", ".hcidump",
  ]
  /// Maximum number of names in an error message.
  private static let longestList = 5

  static func choose(from names: [String]) -> Choice {
    let found = logs(in: names)
    guard let first = found.first else { return .none }
    if found.count == 1 { return .one(first) }
    let rest = found.count - longestList
    return .several(found.prefix(longestList) + (rest > 0 ? ["and \(rest) more"] : []))
  }

  /// Returns the names of the files that are logs.
  ///
  /// If there are none, returns the text of a bug report, because it contains a btsnooz log.
  static func logs(in names: [String]) -> [String] {
    let files = names.filter { !$0.hasSuffix("/") && !$0.hasPrefix("-") }
    let logs = files.filter(isLog)
    return logs.isEmpty ? files.filter(isBugReport) : logs
  }

  private static func isLog(_ name: String) -> Bool {
    let file = lastComponent(name)
    return extensions.contains(where: file.hasSuffix)
      || ["btsnoop", "btsnooz", "bt_hci"].contains(where: file.hasPrefix) && file.contains(".log")
  }

  private static func isBugReport(_ name: String) -> Bool {
    let file = lastComponent(name)
    return (file.hasPrefix("bugreport") || file.hasPrefix("dumpstate")) && file.hasSuffix(".txt")
      && !name.contains("/")
  }

  private static func lastComponent(_ name: String) -> String {
    (name.split(separator: "/").last.map(String.init) ?? name).lowercased()
  }
}
