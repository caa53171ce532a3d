extension PageRoutes {
  /// Adds the route for the stream of server-sent events.
  mutating func addEvents(
    _ monitors: PageMonitors, _ stores: StoreCache, _ streamLimit: StreamLimit, _ rhythm: EventRhythm,
    _ sessions: PageSessions
  ) {
    reads["/api/events"] = { question in
      let session = question.session.id
      let stream = EventStream(
        store: try stores.store(for: question), person: stores.person(for: question), monitors: monitors,
        slot: try streamLimit.slot(session), rhythm: rhythm,
        heard: { sessions.use(session) })
      var answer = PageResponse("text/event-stream") { try await stream.run($0) }
      answer.fields["Connection"] = "close"
      return answer
    }
  }
}
