import Foundation
import HealthKit
import HealthSystem

extension PageRoutes {
  /// Adds the routes for the details of one session, for the ongoing session, and for changes of laps.
  mutating func addSession(_ stores: StoreCache) {
    reads["/api/worn/session"] = { pageRequest in
      guard let moment = try pageRequest.date("start") else {
        throw PageError.argument("Say when the session was.")
      }
      let request = WornSession.Request(
        source: try pageRequest.text("source"), moment: moment,
        zones: try pageRequest.zones(), ended: try pageRequest.date("end"),
        workout: try pageRequest.workout())
      return try .json(try await WornSession.of(stores.store(for: pageRequest), request))
    }
    reads["/api/worn/ongoing"] = { pageRequest in
      try .json(
        try await OngoingSession.of(
          stores.store(for: pageRequest), pageRequest.text("source"), zones: pageRequest.zones()))
    }
    changes["/api/worn/lap"] = { pageRequest in
      let (change, store) = (try pageRequest.body(LapChange.self), try stores.store(for: pageRequest))
      guard let span = try await change.span(in: store) else {
        throw PageError.absent("There is no session at this time.")
      }
      try await SessionLaps(of: store).set(
        change.time, isRemoved: change.isRemoved ?? false, of: span, from: change.source)
      return try .json(Done())
    }
  }
}

extension PageRequest {
  /// Returns the parameter `workout`.
  fileprivate func workout() throws(PageError) -> UUID? {
    guard let text = parameters["workout"] else { return nil }
    guard let identifier = UUID(uuidString: text) else {
      throw .argument("The parameter workout must be the UUID of a workout.")
    }
    return identifier
  }
}

private struct LapChange: Decodable {
  var source: String
  /// The time at which a lap ends.
  var time: Date
  /// Whether to remove the end of this lap, which joins it with the next one.
  var isRemoved: Bool?

  /// Returns the session that contains the time. For an ongoing session, the time may be slightly after the
  /// last stored heart rate, because heart rates are stored some seconds late.
  func span(in store: SystemStore) async throws -> DateInterval? {
    let now = Date()
    if time <= now + WearSessions.nearest,
      let ongoing = try await OngoingSession.span(of: source, in: store.healthStore, now: now),
      ongoing.start <= time
    {
      return DateInterval(start: ongoing.start, end: max(ongoing.end, time))
    }
    return try await WornSession.span(of: source, at: time, in: store.healthStore)
  }
}
