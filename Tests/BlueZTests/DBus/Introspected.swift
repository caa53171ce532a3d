import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Parses introspection data with Foundation's XML parser, which is independent of hrgate.
final class Introspected: NSObject, XMLParserDelegate {
  private(set) var methods: [String: [String]] = [:]
  private(set) var properties: [String: String] = [:]
  private(set) var signals: [String] = []
  private(set) var nodes: [String] = []
  private var interface = ""
  private var method = ""

  struct NotXMLError: Error {
    var text: String
  }

  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8))
    parser.delegate = self
    guard parser.parse() else { throw NotXMLError(text: text) }
  }

  func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    let name = attributes["name"] ?? ""
    switch element {
    case "interface": interface = name
    case "method":
      method = "\(interface).\(name)"
      methods[method] = []
    case "signal":
      method = ""
      signals.append("\(interface).\(name)")
      signals.sort()
    case "arg":
      methods[method]?.append("\(attributes["direction"] ?? "") \(attributes["type"] ?? "") \(name)")
    case "property":
      properties["\(interface).\(name)"] = "\(attributes["type"] ?? "") \(attributes["access"] ?? "")"
    case "node" where !name.isEmpty: nodes.append(name)
    default: break
    }
  }
}

/// Runs a program and waits until it exits.
enum Program {
  /// Returns the program's standard output. Suspends the task instead of blocking a thread, because this
  /// process may have to answer the program's D-Bus calls meanwhile.
  static func output(of path: String, _ arguments: [String]) async throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
  }
}
