/* lbm3d_levels_links.h - populations that come through the walls of bodies and surfaces, before the
 * step of a level. They are put into the places of solid cells from which its cells will pull
 * them. */

/* Cells beside walls, each slot LEVELS_CELLS + cell. Written are solid cells and the cell's own
 * population at rest; other cells are read in the fluid only. So the order of cells is free. */
TRM_INLINE void levels_links_cell(TRM_OUT(real) f, TRM_IN(int) near, const int site,
                                  TRM_IN(int) entry, TRM_IN(int) ways, TRM_IN(real) links,
                                  TRM_OUT(real) part, const lbm3d_levels_params p)
{
  const int i = LEVELS_PLACE_IN(site);
  const lbm3d_neighbours b = { near + (trm_index)LEVELS_SLOT(site) * LEVELS_NEAR_INTS, LEVELS_X(i),
                           LEVELS_Y(i), LEVELS_Z(i) };
  lbm3d_through(f, f, entry, ways, links, part, b, p);
}

TRM_ROW_KERNEL7(lbm3d_levels_links, -1, lbm3d_levels_params, TRM_RW(real) f, TRM_RO(int) near,
                TRM_RO(int) sites, TRM_RO(int) mark_entries, TRM_RO(int) ways, TRM_RO(real) links,
                TRM_RW(real) part)
{
  TRM_ROW1;
  TRM_SERIAL_CELLS(i) {
    const trm_index at = p.first + i;
    levels_links_cell(f, near, sites[at], mark_entries + 2 * at, ways, links, part, p);
  }
}
