import Foundation
import HealthDataSync
import HealthKit
import HealthStorage
import HealthSystem

/// Reports changes to a store and its monitors to a browser, as server-sent events.
struct EventStream: Sendable {
  let store: SystemStore
  let person: String?
  let monitors: PageMonitors
  let slot: StreamLimit.Slot
  let rhythm: EventRhythm
  /// Called after data has been sent to the browser.
  let heard: @Sendable () -> Void

  private var latestEvents: LatestEvents { slot.latestEvents }

  /// Sends events until the session ends or the browser disconnects.
  func run(_ body: ResponseBody) async throws {
    latestEvents.put(.init(kind: .hello, data: try JSONLine.text(Instant(time: Date()))))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await followCommits() }
      tasks.addTask { await followMonitors() }
      tasks.addTask { await breathe() }
      // Also cancel the tasks after an error, which means that the browser has disconnected.
      defer { tasks.cancelAll() }
      while case let events = await latestEvents.next(), !events.isEmpty {
        try await body.write(Array(events.map(\.text).joined().utf8))
        heard()
      }
    }
  }

  // MARK: - Events

  /// Reads the store after each commit by any program, then pauses, because a gateway commits more often than
  /// a chart needs updates.
  private func followCommits() async {
    // Subscribe before the first read, so that no commit is missed.
    let commits = store.database.commits()
    var sent = SentState()
    await look(&sent)
    for await _ in commits {
      await look(&sent)
      do { try await Task.sleep(for: rhythm.afterCommit) } catch { return }
    }
  }

  /// The last values sent. New values are compared with them, because a commit may change nothing that the
  /// page shows. For example, the store also commits statistics that it computed for a query.
  private struct SentState {
    var change: Int64?
    var pending: Int?
  }

  private func look(_ sent: inout SentState) async {
    do {
      let change = try await store.database.lastChange()
      if change != sent.change {
        latestEvents.put(.init(kind: .latest, data: try JSONLine.text(try await LatestValues.of(store))))
        latestEvents.put(.init(kind: .commit, data: try JSONLine.text(Instant(time: Date()))))
        sent.change = change
      }
      let count = try await store.pendingAuthorizations().count
      if count != sent.pending {
        latestEvents.put(.init(kind: .pending, data: try JSONLine.text(["count": count])))
        sent.pending = count
      }
    } catch {
      sent = SentState()
      let fault = PageError(error)
      latestEvents.put(.init(kind: .store, data: (try? JSONLine.text(["message": fault.message])) ?? "{}"))
    }
  }

  private func followMonitors() async {
    let changes = monitors.changes()
    await sendMonitors()
    for await _ in changes {
      await sendMonitors()
      do { try await Task.sleep(for: rhythm.afterMonitors) } catch { return }
    }
  }

  private func sendMonitors() async {
    guard let report = try? await monitors.report(store, person), let data = try? JSONLine.text(report) else {
      return
    }
    latestEvents.put(.init(kind: .monitors, data: data))
  }

  /// Sends keep-alives. If the browser does not read them, the connection times out.
  private func breathe() async {
    while (try? await Task.sleep(for: rhythm.breath)) != nil {
      latestEvents.put(.init(kind: .breath, data: ""))
    }
  }
}

/// The pauses between events.
struct EventRhythm: Sendable {
  var afterCommit = Duration.milliseconds(250)
  var afterMonitors = Duration.milliseconds(100)
  /// The interval of keep-alives. Keep-alives prevent proxies from closing an idle connection, and detect
  /// that the browser has closed it.
  var breath = Duration.seconds(15)
}

struct Instant: Codable, Sendable {
  var time: Date
}

/// For each source that measured in the last hour, its latest stored heart rate.
struct LatestValues: Codable, Sendable {
  struct Value: Codable, Sendable {
    var source: String
    var name: String
    var value: Double
    var unit: String
    var time: Date
  }

  var values: [Value]

  static func of(_ store: SystemStore, now: Date = Date()) async throws -> LatestValues {
    let type = HKQuantityType(.heartRate)
    // Always send beats per minute, as the states of monitors and the zones do, even if the user chose
    // another unit for charts.
    let unit = HKUnit.count().unitDivided(by: .minute())
    let hour = HKQuery.predicateForSamples(
      withStart: now - 3600, end: nil, options: .strictStartDate)
    var values: [Value] = []
    for source in try await store.healthStore.sources(of: type, hour) {
      let selection = Selection(from: now - 3600, to: nil, source: source.bundleIdentifier).predicate()
      guard let latest = try await store.healthStore.latest(of: type, selection, in: unit) else {
        continue
      }
      values.append(
        Value(
          source: latest.source, name: latest.name, value: latest.value, unit: unit.unitString,
          time: latest.time))
    }
    return LatestValues(values: values)
  }
}
