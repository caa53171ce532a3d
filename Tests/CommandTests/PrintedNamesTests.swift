import Testing

@testable import TestSupport

/// Tests the names of `--json`, which programs rely on. Names that only the page uses are not printed.
@Suite struct PrintedNamesTests {
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
    let log = folder.path("log.btsnoop")
    _ = try Command.hrgate("simulate", "--duration", "600s", "--seed", "3", "-o", log)
    _ = try Command.hrgate("replay", log, "--store", store)
  }

  private static let statistics: Set = ["average", "count", "end", "max", "min", "start", "type", "unit"]
  private static let sample: Set = ["uuid", "type", "start", "end", "source", "metadata"]
  private static let spectrum: Set = ["lf", "hf", "lfhf", "lfnu", "hfnu"]
  private static let variability: Set = [
    "artefacts", "beats", "coverage", "end", "lnRMSSD", "meanNN", "nn50", "pnn20", "pnn50", "rmssd", "sd1",
    "sd1sd2", "sd2", "sdnn", "sdsd", "source", "start", "triangularIndex",
  ]

  @Test(
    arguments: [
      (["stats"], statistics, []), (["stats", "--every", "1d"], statistics.union(["day"]), []),
      (["stats", "--every", "1m"], statistics, []),
      (
        ["hrv", "--window", "all"], variability,
        spectrum.union([
          "dfaAlpha1", "dfaAlpha2", "sampleEntropy", "sdann", "sdnnIndex", "vlf", "withheld",
        ])
      ),
      (
        ["zones", "--maximum", "190", "--resting", "52", "--weighting", "women"],
        ["source", "start", "end", "known", "zones", "edwards", "banister"], []
      ),
      (["samples", "--type", "heartRate"], sample.union(["value", "unit"]), ["device"]),
      (["samples", "--type", "heartbeatSeries"], sample.union(["beats"]), ["device"]),
      (["monitors", "gaps"], ["monitor", "name", "start", "end", "duration", "cause", "lost"], []),
    ] as [([String], Set<String>, Set<String>)])
  func `a line has its documented names, and its times are ISO 8601`(
    arguments: [String], always: Set<String>, sometimes: Set<String>
  ) throws {
    let lines = try Command.hrgate(arguments + ["--json", "--store", store]).objects()
    #expect(!lines.isEmpty)
    for line in lines {
      #expect(always.subtracting(line.keys) == [] && sometimes.union(always).isSuperset(of: line.keys))
      for time in ["start", "end"].compactMap({ line[$0] as? String }) {
        #expect(time.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/#) != nil, "\(time)")
      }
    }
  }

  @Test func `a monitor has its documented names`() async throws {
    try await ScriptedDaemon.enrolStrap(inStoreAt: store)
    let line = try #require(
      try Command.hrgate("monitors", "--json", "--store", store).objects().first)
    let live: Set = [
      "source", "detail", "advice", "heartRate", "time", "age", "contact", "beats", "measurements",
    ]
    #expect(live.isDisjoint(with: line.keys))
    #expect(Set(["address", "addressType", "bonded", "enrolled"]).isSubset(of: line.keys))
    #expect((line["enrolled"] as? String)?.hasSuffix("Z") == true)
  }
}
