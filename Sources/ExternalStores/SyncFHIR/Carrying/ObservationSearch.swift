import Foundation
import HealthDataSync

/// Asks a server what it has of some samples.
struct ObservationSearch: Sendable {
  /// Of one question: its address stays under 2,000 characters, which everything on the way takes.
  private static let most = 20

  /// An Observation as the server has it.
  struct Found: Sendable {
    /// Which version of it that is; nil where the server does not say.
    let version: ResourceVersion?
    /// By which names gateways withdrew it: none for what somebody else withdrew. Nil if it stands.
    let withdrawals: Set<String>?
  }

  let client: FHIRClient
  let condition: ObservationCondition

  /// - Parameter status: of those that are looked for; nil for any.
  /// - Returns: of each sample what is there, which is more than one where the server has it twice.
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
    // The address of a next page may lead anywhere, and the token with it.
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

  private func read(_ answer: HTTPAnswer) throws -> SearchAnswer {
    let host = client.address.host
    if answer.status == 403 {
      throw ExternalStoreError(
        "\(host) does not let the token's owner see what it holds: let its administrator allow reading and "
          + "searching Observation", outlook: .lasting)
    }
    let verdict = try ServerVerdict(answer, from: client.address)
    if case .failed(_, let error) = verdict { throw error }
    guard case .taken = verdict,
      let bundle = try? JSONDecoder().decode(SearchAnswer.self, from: answer.body),
      bundle.resourceType == "Bundle"
    else {
      throw ExternalStoreError(
        "\(host) does not find Observations by identifier and status: have its administrator switch that on",
        outlook: .lasting)
    }
    return bundle
  }
}

extension ObservationCondition {
  /// After the base. Of each Observation what tells whose it is and whether it stands.
  func path(_ uuids: [UUID], status: String? = nil, count: Int) -> String {
    "/Observation?" + search(uuids) + (status.map { "&status=\($0)" } ?? "")
      + "&_elements=identifier,status,meta&_count=\(count)"
  }
}
