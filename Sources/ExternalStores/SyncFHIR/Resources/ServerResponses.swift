import Foundation

/// The response to a transaction, with only the elements that hrgate uses. All are optional, because servers
/// omit different ones.
struct TransactionResponse: Decodable, Sendable {
  struct Entry: Decodable, Sendable {
    struct Response: Decodable, Sendable {
      /// The status of the entry, such as `201 Created`.
      var status: String?
      /// The location of the resource, such as `Device/17/_history/1`, with or without the server's address.
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

/// The response to a search, with only the elements that hrgate uses.
struct SearchResponse: Decodable, Sendable {
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

    /// A `version` element of a Device. In a ``MarkerDevice``, one of them contains the number of the last
    /// page of changes.
    struct Version: Decodable, Sendable {
      var value: String?
    }

    var resourceType: String?
    var id: String?
    var meta: Meta?
    var status: String?
    var identifier: [Identifier]?
    var version: [Version]?

    /// The UUID of the sample, or `nil` if the resource is not a sample's Observation.
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

  /// Whether the server has another page of results.
  var hasMore: Bool { (link ?? []).contains { $0.relation == "next" } }
}

/// A server's description of errors. Only codes and paths are read, because the texts may repeat values of a
/// sample.
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

  /// The indices of the transaction entries that the errors are about, such as 3 for
  /// `Bundle.entry[3].resource`.
  var entries: Set<Int> {
    Set(
      errors.flatMap { ($0.expression ?? []) + ($0.location ?? []) }.compactMap {
        $0.firstMatch(of: #/Bundle\.entry\[([0-9]{1,6})\]/#).flatMap { Int($0.1) }
      })
  }

  /// Whether there are errors and all of them concern the content. Errors about authentication or the
  /// server's state do not: their codes are children of "security" and "transient" in the value set
  /// issue-type.
  var isAboutContent: Bool {
    !errors.isEmpty && !errors.contains { Self.otherCodes.contains($0.code ?? "") }
  }

  private static let otherCodes: Set<String> = [
    "security", "login", "unknown", "expired", "forbidden", "suppressed", "transient", "lock-error",
    "no-store",
    "exception", "timeout", "incomplete", "throttled",
  ]

  /// A summary such as `invalid at Observation.valueQuantity`. It contains only codes and paths, because the
  /// server's texts may repeat a value.
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

/// The features that a server declares. A server may also support others.
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
