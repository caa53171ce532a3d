import Foundation

/// What servers answer, as far as it is read. Absent is what a server left out: they differ.
struct TransactionAnswer: Decodable, Sendable {
  struct Entry: Decodable, Sendable {
    struct Response: Decodable, Sendable {
      /// `201 Created`
      var status: String?
      /// `Device/17/_history/1`, or the same with the server's address before it.
      var location: String?
      var outcome: OperationOutcome?

      var code: Int? { status.flatMap { Int($0.prefix(3)) } }
    }

    var response: Response?
  }

  var resourceType: String
  var type: String?
  var entry: [Entry]?
}

/// What a search found, as far as it is read: of an Observation what identifies it, and whether it stands.
struct SearchAnswer: Decodable, Sendable {
  struct Entry: Decodable, Sendable {
    var resource: Found?
  }

  struct Found: Decodable, Sendable {
    struct Identifier: Decodable, Sendable {
      var system: String?
      var value: String?
    }

    struct Meta: Decodable, Sendable {
      var versionId: String?
    }

    /// Of a Device.
    struct Version: Decodable, Sendable {
      var value: String?
    }

    var resourceType: String?
    var id: String?
    var meta: Meta?
    var status: String?
    var identifier: [Identifier]?
    var version: [Version]?

    /// Of which sample it is; nil for what is no Observation of one.
    var sample: UUID? {
      guard resourceType == "Observation" else { return nil }
      return (identifier ?? []).lazy.compactMap(\.value).filter { $0.hasPrefix("urn:uuid:") }
        .compactMap { UUID(uuidString: String($0.dropFirst("urn:uuid:".count))) }.first
    }
  }

  struct Link: Decodable, Sendable {
    var relation: String?
  }

  var resourceType: String
  var entry: [Entry]?
  var link: [Link]?

  /// Whether the server keeps more for another page.
  var hasMore: Bool { (link ?? []).contains { $0.relation == "next" } }
}

/// Why a server refused. Its prose may repeat values of a sample, so that only codes and places are read.
struct OperationOutcome: Decodable, Sendable {
  struct Issue: Decodable, Sendable {
    var severity: String?
    var code: String?
    var expression: [String]?
    var location: [String]?
  }

  var resourceType: String?
  var issue: [Issue]?

  private var errors: [Issue] {
    (issue ?? []).filter { $0.severity == "error" || $0.severity == "fatal" }
  }

  /// The entries of a bundle that the issues name: those of `Bundle.entry[3].resource`.
  var entries: Set<Int> {
    Set(
      errors.flatMap { ($0.expression ?? []) + ($0.location ?? []) }.compactMap {
        $0.firstMatch(of: #/Bundle\.entry\[([0-9]{1,6})\]/#).flatMap { Int($0.1) }
      })
  }

  /// Whether a fault of what was sent is among the issues, and none of the login or of the server's own state
  /// ("security" and "transient" of the value set issue-type).
  var isAboutContent: Bool {
    !errors.isEmpty && !errors.contains { Self.otherCodes.contains($0.code ?? "") }
  }

  private static let otherCodes: Set<String> = [
    "security", "login", "unknown", "expired", "forbidden", "suppressed", "transient", "lock-error",
    "no-store",
    "exception", "timeout", "incomplete", "throttled",
  ]

  /// `invalid at Observation.valueQuantity`: codes and paths alone; what else stands there may be a value.
  var summary: String? {
    guard let error = errors.first, let code = error.code, code.wholeMatch(of: #/[a-z-]{1,40}/#) != nil else {
      return nil
    }
    let place = (error.expression ?? []).first {
      $0.wholeMatch(of: #/[A-Z][A-Za-z]*(\.[A-Za-z]+(\[[0-9]+\])?){0,12}/#) != nil
    }
    return place.map { "\(code) at \($0)" } ?? code
  }
}

/// What a server says it can do. What it does not say may be there all the same.
struct CapabilityStatement: Decodable, Sendable {
  struct Rest: Decodable, Sendable {
    struct Resource: Decodable, Sendable {
      var type: String?
      var conditionalCreate: Bool?
      var conditionalUpdate: Bool?
    }

    var resource: [Resource]?
  }

  var resourceType: String
  var fhirVersion: String?
  var rest: [Rest]?

  var observation: Rest.Resource? {
    (rest ?? []).lazy.compactMap { $0.resource?.first { $0.type == "Observation" } }.first
  }
}
