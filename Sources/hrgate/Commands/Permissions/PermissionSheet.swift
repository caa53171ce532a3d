import HealthDataSync
import HealthKit

/// Asks the user about one application's request: an introduction, then one question per type or object.
///
/// The application provides the texts. They are shown without control characters and truncated if they are
/// long.
struct PermissionSheet {
  typealias Answer = HKHealthStore.Configuration.Answer

  private enum Reply {
    case yes
    case no
    case cancel
  }

  private let request: HKHealthStore.Configuration.Request
  private let share: [HKSampleType]
  private let read: [HKObjectType]

  init(_ request: HKHealthStore.Configuration.Request) {
    self.request = request
    share = request.share.sorted { $0.identifier < $1.identifier }
    read = request.read.sorted { $0.identifier < $1.identifier }
  }

  var applicationName: String {
    "\(Self.shown(request.application.name, 80)) (\(Self.shown(request.application.bundleIdentifier, 160)))"
  }

  /// - Parameter next: Returns the next line of input; nil at the end.
  /// - Returns: nil if the input ended.
  func ask(_ next: () -> String?, show: (String) -> Void) -> Answer? {
    introduce(show)
    switch reply(to: "Turn on all?", "[y]es, [n]o: one by one, [c]ancel", next, show) {
    case nil: return nil
    case .cancel?: return .cancelled
    case .yes?: return .grantedAll
    case .no?: return askOneByOne(next, show)
    }
  }

  private func introduce(_ show: (String) -> Void) {
    show("\(applicationName) would like to use your health data.\n")
    if !share.isEmpty {
      show("  To save: \(share.map(TypeArgument.shortName).joined(separator: ", "))\n")
      explain(request.application.healthUpdateUsageDescription, show)
    }
    if !read.isEmpty {
      show("  To read: \(read.map(TypeArgument.shortName).joined(separator: ", "))\n")
      explain(request.application.healthShareUsageDescription, show)
    }
    if !request.objects.isEmpty {
      show("  To read single objects: \(request.objects.count)\n")
      explain(request.application.healthShareUsageDescription, show)
    }
  }

  private func explain(_ description: String?, _ show: (String) -> Void) {
    if let description { show("    “\(Self.shown(description, 500))”\n") }
  }

  private func askOneByOne(_ next: () -> String?, _ show: (String) -> Void) -> Answer? {
    do {
      return .granted(
        share: Set(try choose(share, next, show) { "Save \(TypeArgument.shortName($0))?" }),
        read: Set(try choose(read, next, show) { "Read \(TypeArgument.shortName($0))?" }),
        objects: Set(
          try choose(request.objects, next, show) {
            "Read \(TypeArgument.shortName($0.sampleType)) of \(Timestamp.text($0.startDate))?"
          }))
    } catch {
      return error == .cancelled ? .cancelled : nil
    }
  }

  private enum InputError: Error {
    case cancelled
    case inputEnded
  }

  private func choose<Choice>(
    _ choices: [Choice], _ next: () -> String?, _ show: (String) -> Void, _ question: (Choice) -> String
  ) throws(InputError) -> [Choice] {
    var chosen: [Choice] = []
    for choice in choices {
      switch reply(to: question(choice), "[y/n/c]", next, show) {
      case nil: throw .inputEnded
      case .cancel?: throw .cancelled
      case .yes?: chosen.append(choice)
      case .no?: break
      }
    }
    return chosen
  }

  /// Asks until there is a valid answer.
  private func reply(
    to question: String, _ ways: String, _ next: () -> String?, _ show: (String) -> Void
  ) -> Reply? {
    while true {
      show("  \(question) \(ways) ")
      guard let line = next() else { return nil }
      switch line.trimming(while: \.isWhitespace).lowercased() {
      case "y", "yes": return .yes
      case "n", "no": return .no
      case "c", "cancel": return .cancel
      default: show("  Please answer y, n or c.\n")
      }
    }
  }

  private static func shown(_ text: String, _ length: Int) -> String {
    // Scalars and not characters: a single character can be arbitrarily long.
    let start = text.unicodeScalars.prefix(length)
    return String(String.UnicodeScalarView(start)).plain + (start.endIndex < text.endIndex ? "…" : "")
  }
}

extension StringProtocol {
  fileprivate func trimming(while isOutside: (Character) -> Bool) -> SubSequence {
    let start = drop(while: isOutside)
    guard let end = start.lastIndex(where: { !isOutside($0) }) else { return start }
    return start[...end]
  }
}
