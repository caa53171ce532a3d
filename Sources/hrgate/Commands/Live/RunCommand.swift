import ArgumentParser
import Bluetooth
import BlueZ
import Foundation
import HealthKit
import Ingestion

/// The gateway: follows all enrolled monitors and stores what they measure.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Follow the enrolled monitors and store what they measure.",
    discussion: """
      Runs until it is interrupted, through whatever happens to a monitor, the adapter, bluetoothd or the bus; the time in between is recorded
      as a gap (hrgate monitors gaps). Monitors that are paired or forgotten meanwhile are taken up or let go. One gateway at a time runs on
      a store.

      EXAMPLES
        hrgate run
        hrgate run --json
        hrgate run --adapter 00:1B:DC:0A:0B:01 --commit-interval 5
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var adapter: AdapterOptions
  @Flag(help: "Begin also where there is no bus, bluetoothd or adapter yet, and wait for it.")
  var wait = false
  @Flag(help: "Set the monitors' energy totals to 0 when they are first connected to.")
  var resetEnergy = false
  @Option(
    help: ArgumentHelp(
      "What was measured is in the store after so many seconds at the latest.", valueName: "seconds"))
  var commitInterval = 1.0
  @Flag(help: "Print one JSON object for each event.")
  var json = false

  func validate() throws {
    guard (0.05...3600).contains(commitInterval) else {
      throw ValidationError("--commit-interval is from 0.05 to 3600 seconds.")
    }
  }

  func run() async throws {
    let store = try store.open()
    try store.limitPageCache(toKilobytes: 512)
    let registry = MonitorRegistry(store)
    try registry.becomeGateway()
    let keeper = StatusKeeper(registry)
    await keeper.begin()
    if !wait { try await BlueZHost.with(adapter: adapter.address) { _ in } }
    let display = RunDisplay(isJSON: json)
    let last = try await registry.monitors().compactMap(\.lastMeasurement).max()
    let central = BlueZCentral(
      adapter: adapter.address, floor: last, gathering: .seconds(commitInterval)
    ) {
      display.tell($0)
      keeper.tell($0)
    }
    try await withTaskExecutorPreference(central.taskExecutor) {
      try await follow(registry, store, central, keeper, display)
    }
  }

  private func follow(
    _ registry: MonitorRegistry, _ store: HKHealthStore, _ central: BlueZCentral, _ keeper: StatusKeeper,
    _ display: RunDisplay
  ) async throws {
    let interruption = Interruption()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    interruption.onHappening { end.finish() }
    var policy = LivePolicy()
    // The central has gathered for so long already.
    policy.commitInterval = .zero
    let pipeline = LivePipeline(store: store, policy: policy)
    let (enrolments, enrolment) = AsyncStream.makeStream(
      of: [EnrolledMonitor].self, bufferingPolicy: .bufferingNewest(1))
    let startFailure = Latest<(any Error)?>(nil)
    let resetEnergy = resetEnergy
    let (tally, failure) = await withDiscardingTaskGroup { group in
      group.addTask { await central.run() }
      group.addTask {
        do {
          let feed = EnrolmentFeed(changes: try await registry.changes()) { try await registry.monitors() }
          try await feed.run { monitors in
            display.setNames(monitors)
            keeper.enrolmentsChanged()
            enrolment.yield(monitors)
            await central.follow(monitors.map { FollowedMonitor($0, resetsEnergy: resetEnergy) })
          }
        } catch {
          // Nobody would ever be followed: there is nothing to run for. At the end of a run it is no failure.
          if !Task.isCancelled { startFailure.value = error }
          end.finish()
        }
      }
      group.addTask { await keeper.run() }
      // Not on the thread of the bus, which has frames to read.
      group.addTask(executorPreference: globalConcurrentExecutor) {
        await ProgramFiles.releaseWhatIsNotUsed()
      }
      group.addTask {
        for await _ in ends {}
        await central.stop()
      }
      let outcome = await pipeline.run(central, enrolments: enrolments) { display.tell($0) }
      group.cancelAll()
      return outcome
    }
    if let failure = startFailure.value { throw failure }
    await keeper.end()
    let shown = Result { try display.end(tally) }
    // What is lost counts more than who did not read of it.
    if let failure {
      throw Failure("what was measured last is not stored: \(failure.localizedDescription)")
    }
    try shown.get()
  }
}

extension FollowedMonitor {
  fileprivate init(_ monitor: EnrolledMonitor, resetsEnergy: Bool) {
    self.init(
      address: monitor.address, preferredAdapter: monitor.adapter, resetsEnergy: resetsEnergy)
  }
}
