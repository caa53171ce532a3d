import Foundation
import HealthDataSync

/// Searches a server for the Observations of samples.
struct ObservationSearch: Sendable {
  /// Maximum number of samples per request. It keeps URLs below 2,000 characters, which every proxy accepts.
  private static let most = 20

  /// An Observation found on the server.
  struct Found: Sendable {
    /// The version of the Observation, or `nil` if the server does not report it.
    let version: ResourceVersion?
    /// The identifiers of the gateways that marked the Observation as deleted, or `nil` if it is not marked.
    /// The set is empty if it was not marked by a gateway but, for example, by a user of the server.
    let withdrawals: Set<String>?
  }

  let client: FHIRClient
  let condition: ObservationCondition

  /// Returns the Observations of samples.
  ///
  /// - Parameter status: The status to search for, or `nil` for any.
  /// - Returns: The Observations by sample. A sample has several if the server stored it twice.
  /// - Throws: `ExternalStoreError`.
  func found(among uuids: [UUID], status: String? = nil) async throws -> [UUID: [Found]] {
    var found: [UUID: [Found]] = [:]
    for first in stride(from: 0, to: uuids.count, by: Self.most) {
      let part = uuids[first..<min(first + Self.most, uuids.count)]
      found.merge(try await ask(Array(part), status)) { $0 + $1 }
    }
    return found
  }

  private func ask(_ uuids: [UUID], _ status: String?) async throws -> [UUID: [Found]] {
    try Task.checkCancellation()
    let path = condition.path(uuids, status: status, count: 2 * uuids.count)
    let bundle = try read(try await client.get(path))
    // Split the request instead of following the link to the next page, which may point to another host. That
    // host would receive the token.
    if bundle.hasMore, uuids.count > 1 {
      let middle = uuids.count / 2
      return try await ask(Array(uuids[..<middle]), status)
        .merging(try await ask(Array(uuids[middle...]), status)) { $0 + $1 }
    }
    let asked = Set(uuids)
    return (bundle.entry ?? []).compactMap(\.resource).reduce(into: [:]) { found, observation in
      guard let uuid = observation.sample, asked.contains(uuid) else { return }
      found[uuid, default: []].append(
        Found(version: ResourceVersion(observation), withdrawals: Withdrawal.names(in: observation)))
    }
  }

  private func read(_ response: HTTPResponse) throws -> SearchResponse {
    let host = client.address.host
    if response.status == 403 {
      throw ExternalStoreError(
        "\(host) does not permit reading with this token: ask its administrator to allow reading and "
          + "searching Observation", outlook: .lasting)
    }
    let verdict = try ServerVerdict(response, from: client.address)
    if case .failed(_, let error) = verdict { throw error }
    guard case .taken = verdict,
      let bundle = try? JSONDecoder().decode(SearchResponse.self, from: response.body),
      bundle.resourceType == "Bundle"
    else {
      throw ExternalStoreError(
        "\(host) does not find Observations by identifier and status: ask its administrator to enable it",
        outlook: .lasting)
    }
    return bundle
  }
}

extension ObservationCondition {
  /// Returns the path of a search below the base URL. The response contains only identifiers, status and
  /// version.
  func path(_ uuids: [UUID], status: String? = nil, count: Int) -> String {
    "/Observation?" + search(uuids) + (status.map { "&status=\($0)" } ?? "")
      + "&_elements=identifier,status,meta&_count=\(count)"
  }
}

/// The search condition for a sample's Observation: its UUID and, if the address names one, the subject.
///
/// The subject is needed because two people may have the same samples, for example if both imported the same
/// log.
struct ObservationCondition: Sendable {
  /// The reference to the subject. It is `nil` if the subject is given by an identifier, because few servers
  /// can search for that.
  let subject: String?

  /// Returns the condition for one sample, for use in a conditional request.
  func query(_ uuid: UUID) -> String { "identifier=" + FHIR.Identifier(uuid).token + subjectQuery }

  /// Returns the condition for any of the samples, for use in a URL.
  func search(_ uuids: [UUID]) -> String {
    let tokens = uuids.map { FHIR.Identifier($0).token.replacing("|", with: "%7C") }
    return "identifier=" + tokens.joined(separator: ",") + subjectQuery
  }

  private var subjectQuery: String {
    let plain = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: "&=+;?,|$\\"))
    return subject?.addingPercentEncoding(withAllowedCharacters: plain).map { "&subject=" + $0 } ?? ""
  }
}
